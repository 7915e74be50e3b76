"""The stages of a job, in order. A stage takes the job, calls the work that it stands for with
what earlier stages have left in the job, and leaves the result there for later ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from anonsql.errors import InvariantError
from anonsql.jobs import decisions, publishing, replaced, sources, warnings
from anonsql.jobs.job import Job
from anonsql.jobs.scheme import Scheme
from anonsql.jobs.timing import timed

Stage = Callable[[Job], None]


def open_source(job: Job) -> None:
    """Make the source readable and compare its columns with the policy's."""
    job.opened = sources.open_source(job)


def open_population(job: Job) -> None:
    """Make the population readable, where the policy has one."""
    job.opened = sources.open_population(job, job.opened)


def fingerprint_source(job: Job) -> None:
    """Compute the fingerprint of what the release would be made from."""
    job.fingerprint = sources.fingerprint_source(job, job.opened)


def count_combinations(job: Job) -> None:
    """Count each distinct combination of quasi-identifying values, with kept columns changed as the
    policy says, or of a random sample of the rows: without these nothing of them is loaded. A job
    that reads a release compares it with the source as it is."""
    if job.policy.changes and not job.context.reading:
        from anonsql.jobs import changes

        job.opened = changes.change_columns(job, job.opened)
    if job.policy.privacy.differential is not None and not job.context.reading:
        from anonsql.jobs import differential

        job.opened = differential.sample(job, job.opened)
    job.counted = sources.count_combinations(job, job.opened)


def build_hierarchies(job: Job) -> None:
    """Make the dimension tables, and note what is wrong with them."""
    sources.build_hierarchies(job, job.counted)


def code_values(job: Job) -> None:
    """Code the values that privacy models are about."""
    sources.code_values(job, job.counted)


def fit_scheme(job: Job) -> None:
    """Compare the published scheme that is applied again with the policy and its hierarchies."""
    sources.fit_scheme(job, job.counted, scheme_of(job))


def require_sound(job: Job) -> None:
    """Raise the problems noted so far."""
    sources.require_sound(job, job.counted)


def warn(job: Job) -> None:
    """Note the warnings of ``check``, and what kept columns give away in the source."""
    job.kept_in_source = sources.warn(job, job.opened.whole, job.counted, job.scheme)


def look_at_text(job: Job) -> None:
    """Note what columns hold and the policy does not accept, where no class is counted later."""
    warnings.look_at_contents(job, job.opened, job.counted, then_counted=False)


def build_star(job: Job) -> None:
    """Code the combinations into cells."""
    job.schema = decisions.build_star(job, job.counted)


def search(job: Job) -> None:
    """Find the satisfying full-domain generalizations that the method needs."""
    job.schema = decisions.search(job, job.opened, job.counted, job.schema)


def search_all(job: Job) -> None:
    """Find every satisfying full-domain generalization."""
    job.schema = decisions.search_all(job, job.opened, job.counted, job.schema)


def record_lattice(job: Job) -> None:
    """Store what the search knows of every node in the catalog."""
    decisions.record_lattice(job, job.schema)


def choose(job: Job) -> None:
    """Let the method decide what is released for each row."""
    job.chosen = decisions.choose(job, job.opened, job.counted, job.schema, job.scheme)


def guard_release(job: Job) -> None:
    """Refuse to replace anything but an earlier release of the same table."""
    publishing.guard_release(job)


def stage(job: Job) -> None:
    """Write the release to a staging area, apart from the previous release."""
    kept = job.kept_in_source
    job.kept = publishing.stage(job, job.opened, job.counted, job.chosen, kept)


def count_left_out(job: Job) -> None:
    """Count what the values of the source lose by suppression."""
    job.left_out = publishing.count_left_out(job, job.opened, job.counted, job.chosen)


def verify_release(job: Job) -> None:
    """Prove the staged release."""
    job.verified = publishing.verify_release(job, job.opened, job.chosen, job.held_back)


def compare_with_replaced(job: Job) -> None:
    """Warn of what the staged release and the one that it replaces give away together."""
    replaced.compare_with_replaced(job, job.counted, job.chosen, job.verified)


def publish_release(job: Job) -> None:
    """Replace the previous release by the staged one: the last step that can fail."""
    publishing.publish_release(job, job.opened, job.counted, job.chosen, job.held_back)


OPEN_SOURCE = (open_source, open_population)
DIMENSIONS = (open_source, count_combinations, build_hierarchies)
CHECK = (*OPEN_SOURCE, count_combinations, build_hierarchies, code_values)
SEARCH = (*CHECK, require_sound, build_star, search_all, record_lattice)
OPEN = (guard_release, *OPEN_SOURCE)
OPEN_RUN = (*OPEN, fingerprint_source)
FIT = (count_combinations, build_hierarchies, code_values, require_sound)
DECIDE = (build_star, search, record_lattice, choose)
CHOOSE = (*FIT, *DECIDE)
FIT_AGAIN = (count_combinations, build_hierarchies, code_values, fit_scheme, require_sound)
DECIDE_AGAIN = (build_star, choose)
CHOOSE_AGAIN = (*FIT_AGAIN, *DECIDE_AGAIN)
LOOK_AT_TEXT = (look_at_text, require_sound)
PROVE = (stage, count_left_out, verify_release)
PUBLISH = (*PROVE, compare_with_replaced, publish_release)
RELEASE = (*FIT, warn, *DECIDE, *PUBLISH)
APPLY = (*FIT_AGAIN, warn, *DECIDE_AGAIN, *PUBLISH)
RUN = (*OPEN_RUN, *RELEASE)
TRY = (*OPEN_SOURCE, *CHOOSE, *PROVE)
DRY_RUN = (*OPEN_SOURCE, *FIT, warn, *DECIDE, *PROVE)


def go_through(job: Job, stages: Sequence[Stage]) -> None:
    """Run the stages, timing each and counting its statements."""
    for function in stages:
        with timed(job, function.__name__):
            function(job)


def scheme_of(job: Job) -> Scheme:
    """Return the scheme that the job applies again; raise InvariantError where it has none."""
    if job.scheme is None:
        raise InvariantError("a job that applies no scheme has none to fit")
    return job.scheme
