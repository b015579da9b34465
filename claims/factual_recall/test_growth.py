"""How many fine-tuning sequences are enough, and how does that grow with the number of facts?"""

import numpy as np

from claims.factual_recall.paper import HUANG_2026, POLYLOG
from pytest_claims import Below, Values, claim


def _slope(growth):
    """Slope of ln m* on ln n, with both fits and the accuracies for the figures."""
    sizes = np.array([run.setting.n_subjects**2 for run in growth.runs.values()], dtype=float)
    least = growth.least()
    series = {
        "n": sizes,
        "least": least.T,
        "levels": [run.levels for run in growth.runs.values()],
        "accuracy": [growth.accuracy(n) for n in growth.runs],
        "power_law": np.polyfit(np.log(sizes), np.log(least), 1).T,
        "polylog": np.polyfit(np.log(np.log(sizes)), np.log(least), 1).T,
    }
    return Values(series["power_law"][:, 0], series=series)


@claim(
    HUANG_2026,
    "The number of sequences that suffice grows at most polylogarithmically with the number of facts.",
    predicts=Below(0.1, source="ours"),
    reported=POLYLOG,
    controls={"growth": "natural_growth"},
)
def test_sample_complexity(growth):
    """Least-squares slope of ln m* on ln n over n = 10^2 … 10^5, half of the sequences confusing at every n.

    The honest reading is "flat in n at a fixed share": the share hands the learner, at every n, the sequences
    that grow rare as n grows. m* is the median over 20 draws of the least m from which on accuracy is at
    least .999.
    """
    return _slope(growth)


@claim(
    HUANG_2026,
    "The same where confusing sequences are as rare as they fall.",
    predicts=Below(0.1, source="ours"),
    reported=POLYLOG,
)
def test_sample_complexity_natural_share(natural_growth):
    """The same slope with confusing sequences at their natural share, about n^(−1/2)."""
    return _slope(natural_growth)
