"""Words that name an occupation, so that "I'm a nurse" is a job and "I'm a mess" is not."""

_OCCUPATIONS = frozenset(
    "accountant actor controller inspector breeder keeper handler assessor underwriter actress actuary "
    "administrator advisor adviser agent analyst anaesthetist animator anthropologist apprentice archaeologist "
    "architect archivist artist astronomer athlete attorney auditor author baker banker barber barista bartender "
    "beekeeper biologist blogger bookkeeper bookseller botanist bricklayer broker builder butcher caregiver carer "
    "caretaker carpenter cashier ceo cfo chef chemist cleaner clerk coder comedian composer concierge conductor "
    "consultant contractor cook copywriter counsellor counselor courier cto curator dancer dentist dermatologist "
    "designer detective developer dietitian diplomat director dj doctor draughtsman driver ecologist economist "
    "editor electrician engineer entrepreneur estimator farmer filmmaker firefighter fisherman florist founder "
    "freelancer gardener geographer geologist goldsmith graduate guard guide gynaecologist hairdresser handyman "
    "historian housekeeper illustrator instructor interpreter investigator janitor jeweller jockey joiner "
    "journalist judge lawyer lecturer librarian lifeguard linguist locksmith machinist magician manager marketer "
    "marketeer masseur mathematician mechanic midwife miner model musician nanny neurologist novelist nurse "
    "nutritionist officer operator optician optometrist osteopath paediatrician painter paralegal paramedic pastor "
    "pathologist pediatrician pharmacist philosopher photographer physician physicist physiotherapist pianist pilot "
    "planner plasterer playwright plumber podcaster poet policeman policewoman politician porter potter presenter "
    "priest principal producer professor programmer psychiatrist psychologist publisher radiographer radiologist "
    "realtor receptionist recruiter referee reporter researcher roofer sailor salesman salesperson saleswoman "
    "scientist screenwriter sculptor secretary seamstress shepherd singer sociologist soldier solicitor "
    "statistician steward stewardess strategist streamer student supervisor surgeon surveyor tailor teacher "
    "technician technologist therapist trader trainee trainer translator treasurer tutor undergraduate veterinarian "
    "vet vicar violinist waiter waitress warehouseman watchmaker weaver webmaster welder writer youtuber "
    "zoologist".split()
)
_OF_TWO_WORDS = (
    "team lead",
    "tech lead",
    "flight attendant",
    "social worker",
    "shop assistant",
    "civil servant",
)
_WORKERS = (
    "worker",
    "assistant",
    "attendant",
    "specialist",
    "associate",
    "coordinator",
    "executive",
    "intern",
)


def is_job(phrase: str) -> bool:
    """Whether the noun phrase names an occupation by its head: "high school teacher", "nurse in a hospice"."""
    words = phrase.lower().replace(",", " ").split()
    for i, word in enumerate(words[:6]):
        if word in ("at", "in", "for", "of", "with", "from", "on", "and", "who", "that"):
            break
        head = i + 1 == len(words) or words[i + 1] in (
            "at",
            "in",
            "for",
            "of",
            "with",
            "from",
            "on",
            "and",
            "by",
            "who",
        )
        if head and (word in _OCCUPATIONS or (i > 0 and word in _WORKERS)):
            return True
        if i and f"{words[i - 1]} {word}" in _OF_TWO_WORDS:
            return True
    return False
