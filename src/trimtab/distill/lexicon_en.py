"""English words by what they do in a sentence. The classes let a rule about cakes teach something about invoices."""

from __future__ import annotations

# upper case: stands for the word in patterns of words; lower case words that are listed nowhere keep only their ending
_CLASSES: dict[str, str] = {
    # who
    "YOU": "you your yours yourself u ur ya you're you've you'll you'd youre yall y'all",
    "I": "i me myself im i'm i've i'll i'd ive ill id",
    "WE": "we us our ours we're we've we'll we'd ourselves",
    "MY": "my mine",
    "HE": "he she they him them his hers their theirs he's she's they're they've he'd she'd they'd he'll she'll they'll who whom somebody someone",
    "IT": "it its it's this that's that there there's these those here here's it'll it'd",
    "KIN": "wife husband mum mom mother dad father son daughter kid kids child children brother sister boss manager colleague neighbor neighbour friend "
    "friends grandma grandmother grandpa aunt uncle cousin roommate flatmate teacher coach doctor nurse landlord tenant lawyer girlfriend boyfriend partner "
    "nan gran nonna ex guy lady man woman people everyone everybody nobody folks team client clients customer customers guest guests user users "
    "pupils students members staff patients readers visitors colleagues parents agent agents bot assistant vendor supplier committee board council",
    "DET": "the a an some",
    # may, must
    "MUST": "must shall msut muts gotta mustn't mustnt",
    "SHOULD": "should shouldn't shouldnt ought supposed shoud",
    "CAN": "can could may might can't cannot couldn't cant couldnt",
    "WILL": "will would won't wouldn't wont wouldnt gonna",
    "HAVE": "have has haven't hasn't havent having",
    "NEED": "need needs needn't required requires require requirement mandatory compulsory obligatory essential crucial vital critical imperative",
    "WANT": "want wants wanted wanna wish wishes expect expects demand demands insist insists",
    "NEVER": "never nver nevr",
    "NOT": "not don't dont do'nt don;t doesn't doesnt didn't isn't aren't ain't isnt arent no none nothing nobody without w/o nor neither",
    "AVOID": "avoid avoids avoiding aviod avoide skip omit exclude excluding refrain forbidden prohibited banned ban bans off-limits taboo except steer ditch "
    "stop stay keep leave quit cease spare nope nah no-go dealbreaker unacceptable verboten",
    "ALWAYS": "always allways alwasy every each all any anything everything whenever whatever everywhere throughout everytime evry both anyone",
    "ONLY": "only olny onyl just solely exclusively strictly purely",
    "LIMIT": "max maximum min minimum most least tops limit limits limited cap capped ceiling budget deadline under below within above over beyond exceed exceeding "
    "upto up between at-most less fewer more longer later earlier before after until till by no-more per",
    "SURE": "ensure sure shure certain verify check double-check confirm make",
    "ASK": "ask consult approval approve sign-off signoff clear permission consent ok'd authorize authorization",
    "REMEMBER": "remember forget mind note careful remind reminder",
    "FROMNOW": "henceforth forward onwards onward hereafter going future permanently forever",
    "PLEASE": "please pls plz plse kindly pleas",
    "IF": "if unless when once whenever where in-case should-you provided assuming suppose supposing imagine whether hypothetically",
    # what was and what is only thought
    "WAS": "was were had did been wasn't weren't hadn't used",
    "PAST": "said told asked went came got made took found saw gave kept left put ran wrote thought knew felt bought brought sent paid sold lost won broke built "
    "chose grew heard held hit led met read spent stood taught understood woke wore began drew drove ate fell flew forgot spoke threw caught became "
    "rang sang swam slept sat shut cut burnt burned spelt learnt dug hung fought sought stuck stole swore tore",
    "AGO": "yesterday ago last previously earlier once back recently already since yet lately",
    "SAYS": "says say tells claims states suggests recommends warns reads writes mentions insists argues thinks believes advises according apparently "
    "allegedly complains reckons swears keeps",
    "MAYBE": "maybe perhaps probably possibly might guess think wonder wondering unsure suppose seems looks feel kinda sorta somehow not-sure doubt "
    "considering toying tempted",
    "QWORD": "what why how who which where whose what's who's how's where's",
    "AUX": "is are am be being isn't do does",
    "THANKS": "thanks thank ty thx cheers hi hello hey morning evening sorry lol haha omg wow ugh hmm oh ah yay nice great good cool fine",
    "COURTESY": "appreciate grateful glad happy love lovely helpful kind thankful",
    # choices and changes
    "YES": "yes yep yeah ya yup ok okay sure agreed alright right deal confirmed approved done perfect sold fine",
    "CHOOSE": "choose chose chosen pick picked decide decided settle settled choice decision option options plan variant version go going went book take let's "
    "lets opt opted vote voted locked confirm confirmed final",
    "ORD": "first second third fourth fifth last former latter one two",
    "CHANGE": "actually instead rather change changed changing switch switching swap scratch scrap correction undo revert cancel cancelled drop dropped replace "
    "reverse reversed withdraw disregard mistake wrong reconsidered overrule update updated rename renamed move moved push pushed bump bumped raise raised lower "
    "extend extended relax relaxed lift lifted revoke revoked again anymore longer now after-all nevermind back strike retract meant",
    "LIKE": "prefer prefers prefered preferred preference prefr favor favour like likes love loves enjoy enjoys dislike hate hates rather sooner ideally personally "
    "fan favorite favourite lean leaning partial fond keen preferably better best nicer soft adore",
    "TODO": "todo to-do remaining outstanding pending later tomorrow next afterwards haven't still gotta owe follow",
    # looks
    "LANGUAGE": "english french german spanish italian dutch portuguese chinese mandarin cantonese japanese korean russian arabic hindi polish swedish turkish "
    "danish norwegian finnish greek czech hungarian ukrainian hebrew latin thai vietnamese indonesian british american welsh irish catalan swahili bengali urdu",
    "FORM": "json yaml xml csv tsv html latex markdown table tables bullet bullets bulleted list lists numbered prose plain paragraph paragraphs sentence "
    "sentences line lines word words heading headings header headers column columns title titles bold italic italics emoji emojis font tone style voice "
    "format formatting formatted layout uppercase lowercase caps camelcase snake pascalcase kebab iso utc timestamp timestamps spelling metric imperial celsius "
    "fahrenheit decimal decimals rounded indent indentation spaces tabs tab summary answer answers reply replies response responses output outputs page pages "
    "slide slides pdf docx xlsx png svg diff diffs code-block footnotes citations captions abbreviations acronyms signature greeting salutation",
    "MANNER": "short brief concise formal informal casual polite friendly professional simple neutral warm crisp terse detailed long technical jargon plainly "
    "briefly formally politely succinct punchy dry serious playful cheerful layman verbatim alphabetical chronological",
    "ROLE": "act role pretend play persona assistant tutor advisor adviser concierge analyst consultant expert reviewer editor coach bot helper agent clerk "
    "bookkeeper translator librarian narrator support",
    "ACCESS": "access permission permissions read-only allowed authorized authorised rights admin credentials",
    # numbers and times
    "UNIT": "percent % euro euros eur dollars dollar usd gbp pounds pound yen kg g mg ml km m cm mm gb mb tb ms seconds minutes minute hours hour days day weeks week "
    "months month years year nights night people persons items rows points hp calories kcal degrees words pages",
    "DAY": "monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january february march april june july august september "
    "october november december jan feb mar apr jun jul aug sep oct nov dec noon midnight eod weekend weekends weekday weekdays am pm christmas easter",
    "NUMWORD": "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty hundred thousand million half dozen twice",
    # health and taste that rule things out
    "DIET": "allergic allergy allergies vegan vegetarian coeliac celiac halal kosher gluten gluten-free dairy-free lactose intolerant nut-free pregnant diabetic "
    "asthma wheelchair step-free",
    "HARD": "non-negotiable period sacred untouchable frozen untouched read-only confidential secret private exception exceptions circumstances zero hard rule rules",
    # verbs in their base form that orders begin with
    "DO": "use write add put give send call show tell list reply answer respond return include mention cite book order buy pay run create delete remove "
    "rename edit modify touch change round convert translate summarize summarise explain describe draft fix find get look search open close save store log "
    "record report flag mark tag label escalate route forward transfer hand notify alert inform contact ring email text wait hold start begin end finish "
    "treat follow respect stick limit restrict cap quote spell address refer link attach prefix append sort order group count calculate compute check test "
    "deploy merge commit push pull install import export load query select fetch read review compare prioritize prioritise focus assume default anonymize "
    "redact mask hide reveal disclose share publish post suggest recommend offer propose promise guess invent repeat apologize try keep stay leave let make "
    "do be go come set work speak talk say pass bring serve cook bake stir season plant water clean pack ship deliver charge refund invoice bill schedule "
    "plan arrange reserve cancel move copy paste print sign greet thank double triple match apply require reject accept decline refuse deny allow wrap "
    "capitalize number break split cut shorten trim drop lose point remind warn note wear bear aim err lean cover describe highlight bold avoid skip omit "
    "exclude stop play act pretend split choose pick switch swap proceed ignore disregard forget remember ensure confirm verify ask",
}

# words that stand for themselves in patterns of words
_LITERAL = (
    "and or but so then also because as than for of to in on at with by from into about the a an not no don't never must should can could may will would have has "
    "is are be was were do does did if unless when before after until only always every all any each please you your i my we our it this that they he she "
    "let's just up out off over under within between without instead rather actually make keep leave use go want need like prefer sure nothing "
    "what how why who which where there now again longer fine ok okay yes no one more less most least than per"
)

CLASS_OF: dict[str, tuple[str, ...]] = {}
for _name, _words in _CLASSES.items():
    for _word in _words.split():
        CLASS_OF[_word] = (*CLASS_OF.get(_word, ()), _name) if _name not in CLASS_OF.get(_word, ()) else CLASS_OF[_word]
LITERAL = frozenset(_LITERAL.split())
