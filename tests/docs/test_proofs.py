"""The page of proofs was made from the rules there are."""

from tools.proofs import PAGE, digest


def test_the_page_of_proofs_was_made_from_these_rules() -> None:
    first = PAGE.read_text(encoding="utf-8").splitlines()[0]

    assert digest() in first, "the rules have changed since; run `make prove`"
    assert "REFUTED" not in PAGE.read_text(encoding="utf-8")
