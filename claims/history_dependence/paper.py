"""The paper under test, and the numbers that it printed."""

from claims.history_dependence.protocol import CHOICES
from pytest_claims import Paper, Reported

ZUO_2026 = Paper(
    key="zuo2026",
    title="Testing History Dependence Between In-Context and In-Weights Learning",
    authors="Zuo Yuchen",
    year=2026,
    licence="CC BY 4.0",
    protocol=CHOICES,
    caveat=(
        "The primary protocol was chosen after looking at dense curves: it locates a region where the "
        "reported pattern shows, so this is not a blind replication. Hold 0 is measured after the settling "
        "updates, 20 updates after the mixture has arrived at the balance."
    ),
)

REPORTED_GAP = 0.0976
"""Margin from below − margin from above when the mixture arrives, in logits."""

IMMEDIATE_GAP = Reported(REPORTED_GAP, unit="logits", seeds=5, p_value=0.0625)
