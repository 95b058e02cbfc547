"""Recognise messages for which there is nothing to search: "haha yeah", "ok", "thanks, you too!". Pure.

Only if it is certain: every word must be in the list, and there must be no question mark. In a language that is not
listed a few needless searches are made, which cost milliseconds.
"""

import re
from collections.abc import Iterable

from memory.names import is_called
from memory.words import WORD, fold

LONGEST = 120  # characters; a longer message says something
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
# Of Russian, Turkish, Arabic, Hindi, and Hindi in Latin letters.
_OTHERS = """
ага ах да доброе добрый доброй ночи до завтра здорово извини ладно круто да нет ну ок окей ого отлично пока понятно
привет приветик спасибо спокойной супер точно угу утро утра хаха хахаха хорошо ясно
aynen evet günaydın görüşürüz hadi harika hayır hoşça iyi geceler kal merhaba olur peki rica ederim sağ ol selam süper
tabii tamam teşekkürler tşk
آه أجل أهلا السلام الله الخير الحمد النور تمام تصبح جميل جيد حسنا حلو خلاص خير رائع سلام شكرا صباح صح
صحيح طيب عفوا على عليكم لله ماشي مرحبا مساء ممتاز نعم هلا وعليكم والله لا بأس يلا أوك اوكي هه
अच्छा अरे जी ठीक धन्यवाद नमस्ते नहीं बढ़िया बिल्कुल रात शुक्रिया शुभ सही हाँ हां है ओके वाह
acha accha haan han ji theek thik nahi shukriya dhanyavaad namaste bilkul sahi yaar hai
"""
# Japanese, Chinese and Korean: whole phrases, as there are no spaces between words.
_DENSE = """
うん はい ええ いいえ いや そう そうだね そうですね なるほど わかった わかりました 了解 了解です ありがとう
ありがとうございます どうも おはよう おはようございます こんにちは こんばんは おやすみ おやすみなさい またね
じゃあね すごい いいね よかった よかったね 笑 草 嗯 嗯嗯 嗯呢 好 好的 好吧 好啊 好呀 是 是的 对 对的 行 可以 没事
谢谢 谢谢你 谢谢啦 多谢 你好 早 早安 早上好 晚安 再见 拜拜 哈哈 哈哈哈 嘿嘿 不客气 知道了 明白 明白了 真的 太好了
不错 謝謝 對 沒事 再見 네 네네 응 응응 예 아니 아니요 아니오 그래 그래요 좋아 좋아요 알겠어 알겠어요 알겠습니다
고마워 고마워요 감사합니다 안녕 안녕하세요 ㅋㅋ ㅋㅋㅋ ㅎㅎ ㅎㅎㅎ ㅇㅇ ㄴㄴ
"""
# Questions that are only greetings, for which a search would find greetings. Like WORDS, without apostrophes.
_GREETINGS = """
how are you(?: doing)?|how r u|how have you been|howve you been|how(?:s| is) (?:it going|everything)|how are things
whats up|what is up|wassup|sup|long time no (?:see|talk|chat|speak)|(?:its )?been a (?:long )?while
wie gehts(?: (?:dir|euch|ihnen))?|wie geht es (?:dir|euch|ihnen)|wie stehts|alles gut bei dir
(?:comment )?ça va|comment (?:vas tu|tu vas|allez vous)|cómo (?:estás|te va|va todo|has estado)|qué tal(?: estás)?
come (?:stai|va)|tutto bene|tudo b(?:em|om)|como (?:vai|você está|estás|cê tá)(?: você)?
hoe (?:gaat het|is het)(?: met (?:je|jou|u))?|alles goed
как (?:дела|ты|вы|поживаешь)|nasılsın(?:ız)?|naber|كيف (?:حالك|الحال)|आप कैसे हैं|कैसे हो|kaise ho|kya haal hai
元気|元気ですか|お元気ですか|元気にしてた|你好吗|最近怎么样|你怎么样|잘 지내|잘 지냈어|잘 지내세요
"""
_LISTED = (_ENGLISH, _GERMAN, _FRENCH, _SPANISH, _ITALIAN, _PORTUGUESE, _DUTCH, _OTHERS, _DENSE)
WORDS = frozenset(fold(" ".join(_LISTED)).split())
_LAUGHTER = re.compile(r"(?:a?(?:[hjxk][aeio]|[hjxk]u)+[hjxk]?|[hk]{2,}|l+o+l+|(?:rs){2,}|w{2,}|x+d+)")
_LONG = re.compile(r"(.)\1{2,}")  # "yeahhh", "sooo"
_WORD = re.compile(WORD)
_GREETING = re.compile(
    rf"(?<!\w)(?:{'|'.join(fold(_GREETINGS).split(chr(10))[1:-1])})(?: today)?(?!\w)[\s\W]*"
)


def asks_nothing(message: str, *, names: Iterable[str] = ()) -> bool:
    """Return whether the message has nothing to search for, like one without words. `names` of the two who talk don't
    count.
    """
    said = message.strip()
    if len(said) > LONGEST:
        return False
    said = fold(re.sub("['’]", "", said))
    called = {word for name in names for word in _WORD.findall(fold(name))}
    unnamed = _WORD.sub(lambda word: "" if is_called(word[0], called) else word[0], said)
    said = _GREETING.sub(" ", unnamed)
    return not any(mark in said for mark in "?？؟՞") and all(map(_says_nothing, _WORD.findall(said)))


def _says_nothing(word: str) -> bool:
    if word in WORDS or _LAUGHTER.fullmatch(word):
        return True
    return any(_LONG.sub(short, word) in WORDS for short in (r"\1", r"\1\1"))
