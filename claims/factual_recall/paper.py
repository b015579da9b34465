"""The paper under test, and the words and numbers that it printed."""

from claims.factual_recall.protocol import CHOICES
from pytest_claims import Paper, Reported

HUANG_2026 = Paper(
    key="huang2026",
    title="Fine-Tuning Dynamics of In-Context Factual Recall in Transformers",
    authors="Ruomin Huang, Eshaan Nichani, Jason D. Lee, Rong Ge",
    year=2026,
    url="https://arxiv.org/abs/2605.27774",
    protocol=CHOICES,
    caveat=(
        "Only a summary of the paper was at hand: the construction of the memory, the step sizes, the "
        "temperatures and the share of confusing sequences are ours, chosen on pilot seeds that are never "
        "judged."
    ),
)

NEAR_PERFECT = Reported(0.999, unit="accuracy", text="at least 99.9 %")
FEW_SAMPLES = Reported(text="as few as 8 samples")
POLYLOG = Reported(text="polylog(n)")
