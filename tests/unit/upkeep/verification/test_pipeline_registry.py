from upkeep.verification.pipeline import invariants


def test_every_invariant_has_a_slug_and_a_promise_of_its_own() -> None:
    found = invariants()

    assert len({invariant.slug for invariant in found}) == len(found)
    assert all(invariant.promise.endswith(".") for invariant in found)


def test_what_is_made_of_the_rest_comes_last() -> None:
    slugs = [invariant.slug for invariant in invariants()]

    assert slugs[-1] == "snapshots"
    assert (
        slugs.index("fingerprints") < slugs.index("histories") < slugs.index("index") < slugs.index("vectors")
    )
