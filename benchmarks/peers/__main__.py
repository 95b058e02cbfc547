"""`make bench-peers`: Rapport beside mem0, LangMem and a plain baseline; the report goes to benchmarks/results.

Fresh processes and databases, a model server on loopback, nothing of this machine's settings. Some 20 minutes.
"""

from functools import partial
from importlib.metadata import version

from benchmarks import runner

CONNECTIONS = 400  # every system keeps its own while the others are measured


def main() -> None:
    parser = runner.parser("benchmarks.peers", __doc__)
    told = "a few of everything, in some minutes: no figures to keep"
    parser.add_argument("--quick", action="store_true", help=told)
    told = "Rapport and mem0's library as mem0's own client finds them: evidence and tenants, a report of its own"
    parser.add_argument("--mem0-client", action="store_true", help=told)
    parser.add_argument("--systems", metavar="NAME", action="append", help="this one only; may be repeated")
    parser.add_argument("--rounds", type=int, help="interleaved rounds; 5, or 2 with --quick")
    options = parser.parse_args()
    with runner.own_settings() as folder:
        from benchmarks.peers.measures import MEASURES
        from benchmarks.peers.model import model_server
        from benchmarks.peers.rapport import Rapport, RapportByMem0, RapportRetrieval
        from benchmarks.peers.scenario import Lab
        from benchmarks.peers.systems import Baseline, LangMem, Mem0, Mem0ByHttp, NotThere, System
        from benchmarks.service import server_version
        from benchmarks.timing import machine

        report, asked = (
            ("peers-mem0-client", ["evidence", "tenants"]) if options.mem0_client else ("peers", None)
        )
        names = runner.known(options.only or asked, MEASURES)
        systems: list[type[System]] = []
        about = machine() | {"ours": f"Django {version('Django')}"}
        ours = (Rapport, RapportRetrieval, RapportByMem0)
        wanted = {system.name: system for system in (*ours, Mem0, Mem0ByHttp, LangMem, Baseline)}
        by_client = (RapportByMem0.name, Mem0ByHttp.name)
        usual = [name for name in wanted if (name in by_client) == options.mem0_client]
        for name in runner.known(options.systems or usual, wanted):
            try:
                about[wanted[name].title] = f"{wanted[name].version()}; {wanted[name].settings}"
                systems.append(wanted[name])
            except NotThere as reason:
                about[wanted[name].title] = f"not there: {reason}"
        rounds = options.rounds or (2 if options.quick else 5)
        console = runner.console()
        with runner.fresh_database(connections=CONNECTIONS), model_server() as model:
            about |= {"PostgreSQL": server_version(), "prompt tokens": "characters / 4"}
            console.print(
                "\n".join(f"{name}: {value}" for name, value in about.items()), highlight=False, markup=False
            )
            with runner.progress(console) as say:
                lab = Lab(model, systems, folder, rounds, 0.1 if options.quick else 1.0, say)
                measures = {name: partial(lab.measured, MEASURES[name]) for name in names}
                sections = runner.measure(measures, say, console)
        part = options.only or options.systems or options.quick or options.no_save
        runner.conclude(report, sections, about | {"interleaved rounds": str(rounds)}, keep=not part)


if __name__ == "__main__":
    main()
