import json

import numpy as np

from pytest_claims import report
from pytest_claims.measurements import Parts, Ratio, Values
from pytest_claims.predictions import AtLeast, Exceeds, Holds, Within
from pytest_claims.verdicts import judge

FIVE = range(5)


def test_a_row_is_strict_plain_data_and_keeps_the_series():
    row = judge(Values([0.1] * 5, series={"curve": np.arange(2)}), Exceeds(0.0), FIVE).to_row()
    assert json.loads(json.dumps(row, allow_nan=False))["series"] == {"curve": [0, 1]}


def test_a_part_has_the_fields_that_the_published_schema_asks_for():
    measured = Parts(
        gap=Values([0.1, 0.2, 0.1, 0.3, 0.2], series=[1, 2]),
        share=Ratio([1.0] * 5, [2.0] * 5),
        same=[True] * 5,
    )
    predictions = {"gap": Within(0.0, 1.0), "share": AtLeast(0.1, source="ours"), "same": Holds()}
    row = judge(measured, predictions, FIVE).to_row()
    part = report.schema()["$defs"]["part"]
    for name, found in row["parts"].items():
        assert set(part["required"]) <= set(found) <= set(part["properties"]), name
    assert row["parts"]["share"]["prediction"] == {
        "kind": "at_least",
        "bound": 0.1,
        "text": "≥ 0.1 (ours)",
        "source": "ours",
    }
    assert row["series"] == {"gap": [1, 2]}
    assert json.loads(json.dumps(row, allow_nan=False))["values"] == []
