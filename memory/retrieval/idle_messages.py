"""Messages that ask and tell nothing: "haha yeah", "ok", "thanks, you too!". Pure.

Only what is sure counts: every word of a message has to be one of these, and it must not end in a question mark. A
language that is not listed looks things up a little too often, which costs milliseconds and loses nothing.
"""

import re

from memory.retrieval.index.text import words_for_index

LONGEST = 120  # characters; who says more says something
_ENGLISH = """
ah aha alright amazing and aw awesome aww bye cheers cool course cya damn day definitely exactly fine for fun gm gn good
goodbye goodnight great ha hah hey hello hi hm hmm hug hugs huh indeed it its lol lmao love lovely luv later me mhm
morning much mm mmh my nah nice night no noo nope np of oh ok okay okey okk omg oops ouch perfect please problem right
rofl same see so soon sorry sounds super sure sweet take care talk thank thanks thats the there thx too true ty u ugh
uh very wait welcome well wow wonderful xd xo xoxo ya yay yea yeah yep yes you your yup
"""
_GERMAN = """
ach aha alles also bis bitte bald cool danke dann dir dito du echt ebenso ein eine einen einverstanden genau gern gerne
gut gute guten hallo ja jo jup klar klasse krass mega mir moin morgen na nacht naja nee nein nett nö ohje oje okay prima
schade schlaf schon schön schöne servus so stimmt super tag toll tschau tschüss tschüs tut und viel vielen wirklich wow
"""
_FRENCH = """
ah bah ben bien bises bisous bonjour bonne bonsoir bof ciao coucou daccord de dac désolé et exact génial hein journée
merci mdr mais non nuit oh ok ouais oui parfait pas ptdr rien salut soirée super tant toi très vrai
"""
_SPANISH = """
adiós ah así bien bueno buena buenas buenos chao claro cierto de días exacto genial gracias hola igualmente jaja lo
luego muchas nada no noche noches okey oh pues perdón perfecto qué sí siento tardes vale verdad
"""
_ITALIAN = """
ah bello bene buona buonanotte buongiorno buonasera certo ciao dai davvero di esatto figo giornata grazie mille niente
no notte ok perfetto prego sera sì scusa va vero
"""
_PORTUGUESE = """
abraço adeus ah até bem beijo beijos boa bom claro de dia fixe legal logo muito nada não noite oi ok olá obrigada
obrigado perfeito pois sim tarde tchau valeu verdade
"""
_DUTCH = """
ach bedankt dag dank doei en goed goede hallo hoi ja je jij joh klopt leuk lekker mooi morgen nacht nee oké ook precies
prima slaap sorry top tot wel wauw welterusten
"""
WORDS = frozenset(" ".join((_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH)).split())
_LAUGHTER = re.compile(r"(?:a?(?:[hjxk][aeio]|[hjxk]u)+[hjxk]?|[hk]{2,}|l+o+l+|(?:rs){2,}|w{2,}|x+d+)")
_LONG = re.compile(r"(.)\1{2,}")  # "yeahhh", "sooo"
_EMOJI = re.compile(r"u[0-9a-f]{4,5}")


def asks_nothing(message: str) -> bool:
    """Whether there is nothing in it to look up; True also of a message without any word."""
    said = message.strip()
    if len(said) > LONGEST or said.endswith(("?", "？", "؟")):
        return False
    words = re.findall(r"[^\W_]+", words_for_index(said).replace("'", ""))
    return all(_says_nothing(word) for word in words)


def _says_nothing(word: str) -> bool:
    if word in WORDS or _LAUGHTER.fullmatch(word) or _EMOJI.fullmatch(word):
        return True
    return any(_LONG.sub(short, word) in WORDS for short in (r"\1", r"\1\1"))
