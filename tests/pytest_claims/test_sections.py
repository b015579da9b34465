from pytest_claims.sections import sections


def test_claims_are_grouped_in_the_order_of_the_papers():
    report = {
        "papers": [{"key": "b"}, {"key": "a"}],
        "claims": [{"id": "a/1", "paper": "a"}, {"id": "b/1", "paper": "b"}, {"id": "a/2", "paper": "a"}],
    }
    found = [(paper["key"], [claim["id"] for claim in claims]) for paper, claims in sections(report)]
    assert found == [("b", ["b/1"]), ("a", ["a/1", "a/2"])]


def test_no_claim_is_lost_for_want_of_its_paper():
    assert sections({"claims": [{"id": "c/1", "paper": "c"}, {}]}) == [
        ({"key": "c"}, [{"id": "c/1", "paper": "c"}]),
        ({"key": None}, [{}]),
    ]
    assert sections({}) == []
