"""English orders without key words ("prices in euros, please", "tabs, not spaces", "option 2 it is"), and the spelling
of those who type fast. Asked only about sentences in which `rules_en` finds nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.core.summary import Field

_LEAD = (
    r"(?:^|[,;:.!(\x01\u2013\u2014]\s*|\s-+\s+|\b(?:please|and|but|so|then|also|just|or|kindly|oh|well|yeah|okay|ok|hey|hi|look|plus|though|"
    r"because|cause|thanks|thing is|that|of course|for now|ideally)\s+)"
)
_NUMBER = r"(?:[$€£¥]?\d|(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|half|a dozen|an hour|a week|a day)\b)"
_DAY = r"(?:\d|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|eod|cob|noon|midnight|tomorrow|tonight|the end|end of|next|christmas|easter)"
# what an answer, a text or a figure looks like
_LOOK = (
    r"(?:json|yaml|xml|csv|tsv|html|latex|markdown|tables?|bullet(?:s|ed| points?)?|numbered|prose|plain text|english|chinese|mandarin|french|german|spanish|"
    r"italian|japanese|korean|portuguese|russian|dutch|arabic|hindi|polish|swedish|turkish|spelling|upper ?case|lower ?case|snake_case|camelcase|"
    r"kebab-case|iso(?: ?8601)?|yyyy\S*|24-?h\w*|euros?|dollars?|pounds|usd|eur|gbp|yen|metric|imperial|celsius|fahrenheit|decimals?|decimal places|"
    r"paragraphs?|one[- ]liners?|code blocks?|first person|second person|third person|present tense|past tense|imperative|active voice|utc|spaces|tabs|"
    r"headings?|bold|italics?|emojis?|font|indentation|abbreviations?|timestamps?|thousands separators?|percent\w*|grams|milligrams|mg|ml|cups|style|"
    r"first names?|last names?|initials|quotes|diffs?|summary first|tone)"
)
_PAST = re.compile(
    r"\b(?:was|were|had|did|didn't|took|found|got|came|went|saw|said|told|yesterday|ago|last (?:week|month|year|night)|used to|has been|have been|"
    r"there (?:is|are)|it seems|it looks|i think|i guess|maybe|probably|apparently)\b"
)
_FILLER = re.compile(
    r"\b(?:u[hm]+|er+m*|you know|i mean|basically|honestly|lol|haha|well|kinda|sorta|okay so|ok so|alright so|right so|yeah so|so yeah)\b,? ?"
)

_SYSTEM_VERBS = (
    r"(?:answer|reply|respond|use|cite|escalate|ask|check|confirm|verify|write|keep|route|flag|log|refuse|decline|offer|suggest|stay|speak|treat|follow|return|output|give|provide|include|"
    r"exclude|mark|convert|state|call|query|run|show|summari[sz]e|prefer|address|greet|sign|report|translate|explain|quote|refer|send|open|close|tag|assign|store|record|save|redact|mask|"
    r"hide|count|list|order|sort|round|format|start|begin|end|finish|wait|stop|read|review|compare|prioriti[sz]e|focus|limit|avoid|respect|protect|maintain|handle|match|apply|add|remove|"
    r"double-check|consult|note|remember|admit|say|tell|mention|link|point|direct|hand|transfer|pass|attach|require|reject|accept|allow|default|assume|work|think|plan|break|split|make|be|"
    r"do|put|take|let|leave|encourage|correct|praise|base|present|describe|label|number|prefix|append|log|notify|alert|collect|validate|test|document|name|choose|pick|set|round|display|"
    r"hold|look|search|fetch|load|import|export|preserve|quote|draft|propose|warn|remind|share|recommend|cap|restrict)"
)

_NEGATIVE = re.compile(
    r"\b(?:is|are) (?:completely |absolutely |totally )?(?:out of the question|a no-?no|a no-?go|not an option|off the table|a deal-?breaker|verboten|not ok\b|not okay|not fine|not negotiable)"
    rf"|{_LEAD}(?:skip|omit|exclude|leave out|ditch|spare me|enough with|lay off|go easy on|hold the|steer away|keep out)\b"
    rf"|{_LEAD}keep [^,;]{{2,40}} (?:out of|off|away from|away|secret|confidential|private|to yourself)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )\b(?:may|can) not (?:appear|be|leave|contain|include|use|go|show|have|enter|run|access|carry|exceed|start|end)\b"
    r"|\b(?:it|this|that|these|those|nothing|nobody|no one|the [\w' ]{2,30}|any of (?:it|this|them)) can(?:'?t|not) (?:be (?!right|true|that|the case|it\b|reached|found|opened|"
    r"read|sure)|have|go|contain|exceed|include|use|take|leave|change|show|appear|know|see|miss|get)\w*"
    r"|\b(?:i|we|he|she|they|my \w+|guests?|one of (?:us|them)) (?:can'?t|cannot|don'?t|doesn'?t|won'?t) (?:eat|drink|fly|tolerate|accept|walk)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bthey )(?<!\bit )(?<!\bhe )(?<!\bshe )(?<!\bwho )(?<!\bthat )(?<![a-z]s )(?<!people )(?<!\bto )\b(?:do not|don't|dont|never) (?:ever )?"
    r"(?:use|include|return|show|answer|reply|respond|read|write|contact|call|send|list|keep|change|modify|touch|edit|give|put|book|buy|run|mention|accept|"
    r"deploy|quote|print|take|add|make|pick|choose|order|suggest|recommend|translate|update|store|save|share|publish|pay|spend|delete|remove|drop|merge|push|"
    r"commit|rename|overwrite|guess|assume|invent|skip|let|go|start|ask|tell|reveal|disclose|offer|promise|round|convert|mix|repeat|explain|apologi[sz]e)\b"
    r"|(?:^|[,;:(]) ?(?:and |but )?(?:absolutely |strictly |definitely |ideally |please )?(?:no|zero) (?!(?:problem|idea|worries|thanks|way|longer|one|doubt|matter|wonder|"
    r"rush|luck|hurry|pressure|clue|need|results?|error|errors|change|changes|difference|more|less|fewer|i|we|it|that|this|you|the)\b)[a-z][\w-]+"
    r"|\bnothing (?:that|over|above|with|from|too|but|spicy|after|before|in|on)\b"
    r"|\bnot (?:before|after|until|on|in|more than|for|with|without|to be) \w[^,]{0,60}$"
    r"|\bwithout (?:my|asking|telling|checking|written|prior)\b[^,]{2,60}$"
    r"|\b(?:want|like|need|prefer) (?:no|none|zero)\b|\bi don'?t want\b(?! to (?:be rude|sound))|\bstays? (?:between us|confidential|private|secret|in-house|internal|out)\b"
    r"|\bnot (?:mention|use|include|share|quote|send|touch|change|add|show|tell|contact|write|put|delete|book|suggest|recommend|reveal|copy|cc|call)\b"
)
_ROLE = re.compile(
    r"^(?:your )?(?:role|persona|identity)\s*[:=]"
    r"|^(?:from now on,? |for this \w+,? |today,? |here,? )?you(?:'ll| will)? (?:are(?! (?:right|wrong|welcome|correct|sure|not|going|too|so|kidding|telling|saying|free|allowed|to|supposed|the best))|"
    r"be (?:an?|the|my|our|acting|playing)|play|act|work (?:as|for|in|with)|serve|speak (?:as|for)|represent|assist|help|support|handle|manage|run|moderate|coach|teach|tutor|guide|"
    r"have (?:full |read |write |root |shell |access|permission)|can (?:access|run|execute|read|call|browse|query))\b"
    r"|^your name is\b|\bthis (?:assistant|agent|bot|chatbot)\b|^(?:the|this) (?:assistant|agent|bot) (?:is|answers|helps|handles|works)\b"
    r"|\b(?:be|think like|write like|talk like|think of yourself as|imagine you're|imagine you are|treat yourself as|i want you to be|i need you to be|want you to act as|need you to act as) (?:an?|my|our|the) (?!bit\b)\w"
    r"|^as (?:an?|the|our|my) [\w' -]{2,50}?,? (?:you|your)\b|\bin the (?:role|voice|shoes|character) of\b|\b(?:pose as|impersonate|step into|consider yourself|pretend (?:to|you)|take the part|speak as|answer like|respond like|talk to me like|play (?:the|my|an?|our))\b|\byou're (?:playing|acting|now|my|our|an?|the)\b"
)
_FORMAT = re.compile(
    rf"^(?:[\w'/ -]{{0,50}}?\b)?(?:in|as|with|using|use) (?:\w+[ -]){{0,3}}?{_LOOK}\b(?:[ ,].{{0,40}})?$"
    rf"|^(?:only |just |\w+ )?{_LOOK} (?:only|everywhere|throughout|please|always|for all)\b"
    rf"|^(?:two|one|three|no|\d) {_LOOK}\b"
    rf"|\bused? (?:\w+ ){{0,2}}{_LOOK}\b|\bindent\w*\b"
    r"|^(?:short|brief|concise|long|detailed|formal|simple|plain|one-line|bulleted|numbered) (?:answers?|repl\w+|responses?|sentences?|summar\w+|emails?|lists?|messages?|paragraphs?|words)\b"
    r"|\bkeep (?:\w+ ){0,4}(?:short|brief|concise|formal|informal|simple|friendly|professional|polite|light|plain|neutral|crisp|tight|readable|one line|warm)\b"
    r"|\b(?:address|call) (?:me|us|him|her|them|the \w+|\w+s) (?:as|by|mr|ms|mrs|dr|captain|\x01)|\bin the language\b|\bone (?:\w+ )?per (?:line|row|page|file|slide)\b|\brounded? to\b"
    r"|\b(?:style|format|tone|language|units?|currency|spelling|font|layout|date format)\s*[:=]"
    rf"|{_LEAD}(?:start|end|begin|open|close|finish|sign off|lead) (?:each|every|all|your|with|off with)\b"
    rf"|{_LEAD}(?:wrap|number|bold|italici[sz]e|capitali[sz]e|abbreviate|spell out|underline|alphabeti[sz]e|sum up) (?:the|all|each|every|any|your|it|them|\w+s)\b"
    r"|\b(?:comma|tab|semicolon|pipe)[- ]separated\b|\b(?:newest|oldest|largest|smallest|latest|answer|conclusion|result|summary|code|verdict) first\b|\bsorted by\b|\balphabetical\b"
    r"|\bsame language\b|\byes or no\b|\ball caps\b|\bno (?:markdown|emojis?|bullets?|bullet points|headings?|tables?|abbreviations|exclamation marks|contractions)\b"
    r"|^(?:the |all |any |your |every |each |for )?(?:\w+ )?(?:dates?|times?|amounts?|prices?|numbers?|names?|weights?|temperatures?|distances?|totals?|figures?|headings?|answers?|repl(?:y|ies)|responses?|emails?|summar(?:y|ies)|"
    r"reports?|subject lines?|commit messages?|comments?|messages?|file ?names?|columns?|captions?|citations?|references?|units?|measurements?|steps?|output|currency|doses?|dosages?|ingredients|quantities|variables?) "
    r"(?!.*\b(?:is|are|does|do|don't|went|looks?|goes|seems?|need|from the|works?|has|have|comes?|keeps?)\b)(?:\w+ ){0,3}?(?:in|as|with|like|to|always|only|under|per|by|first|last|rounded|separate\w*|go(?:es)? at)\b"
)
_CONSTRAINT = re.compile(
    r"(?<!the )(?<!it )\bonly[.!)\" ]*$|^only\b|(?<!\bi )(?<!\bwe )(?<!\bit )(?<!\bthe )\bonly (?:if|when|after|once|on|in|from|with|for|between|by)\b"
    rf"|\b(?:max|maximum|minimum|min|tops|at most|at the most|at least|at minimum|no more than|no less than|up to|not over|cap(?:ped)?|ceiling|limit|budget|deadline)\b[^.;]{{0,40}}?{_NUMBER}"
    rf"|{_NUMBER}[\w$€£%. -]{{0,24}}? (?:max|maximum|minimum|min|tops|or less|or fewer|or under|at most|at the most|at least|limit|cap|or more|or better)\b"
    rf"|^(?:under|below|within|less than|before|after|by|between|over|above) {_NUMBER}"
    r"|^(?:jurisdiction|budget|deadline|audience|level|length|scope|limit|priority|version|timezone|time zone|currency|governing law|dress code|diet|allerg\w+|rule|rules|constraint|"
    r"requirement|hard requirement|important|note|reminder|policy|must-haves?|word count|reading level|target|max|min)\b[\w -]{0,20}\s*[:=-] ?\S"
    r"|\b(?:throughout|everywhere|at all times|in every \w+|each time|every time|for (?:every|each) \w+|without exception|no exceptions|across the board|in all cases|one at a time|"
    r"at once|straight away|right away|immediately|no matter what|whatever happens|first thing|until further notice|in any case|as a rule|by default)\b"
    r"|\b(?:is|are) (?:a must\b|to (?:be|remain|stay|use|have|include|go|come|get)|a must|a must-have|non-negotiable|read-only|a hard (?:limit|stop|rule|deadline|requirement)|sacred|frozen|fixed|a given|key|capped|required|due)\b"
    r"|\b(?<!\bi )(?<!\bwe )(?<!\byou )(?<!\bstill )(?<!\balso )(?:requires?|needs?) (?:my|an?|our|the (?:written |prior |explicit )*(?:approval|consent|sign-off|ok)|written|prior|two|both|manual|approval|sign-off|at least|to)\b"
    r"|(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\bstill )(?<!\balso )(?<!\bjust )\b(?:gotta|got to|hafta|has to|have to|had better|better be|ought to)\b"
    r"|\b(?:unless|until|before|till) (?:i|i've|we|we've|my|the \w+|someone|legal|they) (?:say|said|approve|approved|confirm|ok|okay|sign|signed|see|seen|check|checked|look|looked|tell|ask|read|have|has|had)\b"
    r"|\b(?:allerg\w+|intoleran\w+|c(?:o)?eliac|vegan|vegetarian|halal|kosher|gluten-?free|dairy-?free|nut-?free|lactose|wheelchair|pregnant|diabetic|asthma\w*|step-free|pet-friendly|kid-friendly)\b"
    r"|\bi(?:'m| am) on \w+|\b\d+ ?mg (?:daily|a day|twice|once|per day)\b"
    rf"|\b(?:need|want|due|done|ready|finished|deliver\w*|back|submitted|complete|here|wrapped|launch|live|leave|arrive|home)\b.{{0,40}}\bby {_DAY}"
    r"|\b(?:i|we) (?:only |just |really |do |also )?(?:want|need|expect|require) (?:only|just|it|them|everything|all|every|each|these|this|that|the \w+|you) (?:\w+ ){0,2}?(?:to|in|on|by|with|under|from|as|done|kept)\b"
    rf"|{_LEAD}(?:you )?(?:use|stick|stay|keep|follow|treat|leave|round|spell|prefix|assume|cite|escalate|hold off|err on|mind|wait|double[- ]check|limit|cap|pretend|respect|mark|flag|label|tag|back up|"
    r"run everything|run it by|check with|ask (?:me|us|before|first)|get my|clear it|prioriti[sz]e|put safety|go for|aim for|focus|default to|default|anonymi[sz]e|redact|mask|attribute|credit)\b(?! (?:me (?:what|how|why)|in mind|in touch|up the))"
    r"|^[\w' -]{2,30}, not [\w' -]{2,30}$|^(?:all|every|each|any|everything|both|anything)\b"
    rf"|^(?:if|when|whenever|once|after|before|in case|for|should|any time|anytime|every time) (?!you can\b|possible\b|not\b|you're done|you have time|you get|you're ready)[^,]{{3,90}},? (?:please |always |then |just |you )?{_SYSTEM_VERBS}\b"
    rf"|^{_SYSTEM_VERBS}\b[^?]{{2,70}} (?:before (?:you|any|each|every|the|\w+ing)|after (?:each|every)|for (?:each|every)|(?:each|every) (?:\w+ )?(?:time|day|week|month|morning|row|file|table|claim|figure|customer|commit|change|answer|step))\b"
    rf"|{_LEAD}{_SYSTEM_VERBS} (?:every|each|anything|everything|whatever|any)\b|\bfirst[.!]*$(?<!at first)|\b(?:goes|go|runs|passes|pass) (?:through|past|via|by) (?:me|us|legal|\w+)\b"
    rf"|^(?!.*\b(?:is|are|takes?|costs?|runs?|came|got)\b).*\b(?:under|below|within|up to|not exceeding|less than|fewer than|no later than|not later than|no earlier than) (?:the |about )?{_NUMBER}"
    r"|\b(?:can|could) only\b|\bonly (?:work|do|have|accept|take|eat|fly|drive) \w|\bnon-?(?:smoking|stop|refundable|alcoholic)\b|\bground floor\b|\bit would have to\b|\b(?:matters|counts) most\b|\bas long as\b|\bprovided that\b|\bmake (?:absolutely )?sure\b|\b(?:sign-off|go-ahead|green light) (?:from|by)\b"
)
_SYSTEM = re.compile(
    rf"{_LEAD}{_SYSTEM_VERBS}\b|^(?:all|every|each|any|no|when|whenever|if|for|before|after|unless|once|only|in|on|with|without)\b[^?]*$"
    r"|\b(?:only|no|not|never|cannot|can't|always|must|may|require[sd]?|needs?|read-only|limited|at most|up to|approval)\b"
)
_SYSTEM_ROLE = re.compile(
    r"^(?:you(?:'re)?|your (?:job|role|task|name|users|purpose|goal|mission)|this (?:is|assistant|agent|bot))\b(?! (?:must|should|may|shall|need|have to|can only|always|never|do not|don't|cannot|can't|will (?:not|only|always)))"
)

_DECISION = re.compile(
    r"\blet'?s (?!(?:see|say|talk|discuss|look|check|think|hear|wait|face|start|begin|have a look|find out|try to|be)\b)\w"
    r"|\b(?:i|we)(?:'ll| will|ll) (?:go|take|have|do|use|keep|stick|stay|book|buy|order|pick|choose|settle|opt|sign|accept|drop|skip|run|switch|postpone|cancel|not|be (?:using|going|taking)|make it|ship|hold|host|meet|fly|leave)\b"
    r"(?! (?:a look|a think|you|me|your|back to you|in touch|my best|it myself|let you))"
    r"|\b(?:i|we)(?:'re|'m| are| am) (?:going (?:with|for|ahead|to (?:use|go|take|keep|drop|do|stick))|taking|using|keeping|sticking|staying|dropping|choosing|settling|not (?:going|doing|using|taking))\b"
    r"|\b(?:i|we|the (?:team|board|client|group|committee|partners?|family|band|council)|everyone|my \w+)(?: have|'ve| has| all| both| finally| already)* (?:opted|voted|decided|settled|chosen|selected|elected|resolved|signed off|committed|agreed|landed|picked|chose|went with|locked in)\b"
    r"|\bit is[.!]*$|\b(?:gets my vote|is a go|go ahead|green light|signed off|locked in|final answer|that's settled|it's settled|that settles it|is the one|is the winner|the winner is|wins|you have my ok|good to go|works for (?:me|us)|"
    r"is fine (?:by|with) (?:me|us)|has my (?:ok|approval|blessing)|deal|sold|ship it|count us in)\b"
    r"|^(?:yes|yep|yeah|ya|yup|ok|okay|sure|fine|good|great|right|agreed|alright|perfect|cool|done|deal|confirmed|approved|sounds good|makes sense|works|final|decision|decided|verdict|the former|the latter)\b[,.:;!]* "
    r"(?!(?:now|go on|continue|carry on|keep going|next|proceed$|thanks?$|thank|ty|thx|but|i|i'm|you|that|it|what|how|why|when|who|could|can|is|let me|so what|and what|no|now what|point|job|work|morning|to know|question|idea|news|luck|evening|afternoon|the error|there)\b)[\w\x01'].{0,90}$"
    r"|^(?:(?:option|plan|variant|number|version|design|choice|proposal) [a-z\d]|[a-e\d]|the (?:first|second|third|fourth|last|former|latter|\w+) one|the (?:former|latter)|(?:first|second|third) one|both|neither|none of them)\b[^.]{0,24}$"
    r"|^(?:approved|agreed|confirmed|accepted|deal|sold|granted)\b[.! ]*$|^(?:\w+ ){1,3}please[.! ]*$|\b(?:stays|is in|is out|it shall be|is chosen|is off|is on)[.! ]*$"
    r"|^(?:go with|go for|take|pick|choose|book|make it|stick with|settle on|ship|cancel|drop|proceed with|proceed|move forward)\b[^.]{0,24}\b(?:one|option|then|version|plan|it|that)\b"
    r"|\bdecision\s*[:=]|\b(?:i|we) want (?:the|option|plan|version) \w+"
)
_PREFERENCE = re.compile(
    r"\b(?:i|we|my \w+|i'd|we'd) (?:\w+ly |really |kinda |always |tend to |would |much |do )*(?:prefer|lean|favou?r|like|love|enjoy|hate|dislike|adore|can't stand|tend)s?\b(?! (?:it (?:when|if|that|to)|the (?:idea|way|look|plan|sound)|your|how)\b)"
    r"|\b(?:i'm|we're|i am|we are) (?:more of )?(?:an? [\w-]+ (?:person|fan|lover|type)|fond of|partial to|a (?:big |huge )?fan|into|keen on|not (?:a|keen|big|crazy|wild|fond)|big on|happiest|leaning|more into)\b"
    r"|\b(?:personally|ideally|preferably|if possible|where possible|if you can|my favou?rite|my preference|my taste|nice to have|a plus|would be nice|bonus points|i'd sooner|i'd rather|rather than|works best for me|suits me|works? (?:best|better) for (?:me|us)|the \w+er the better|would be (?:lovely|nice|great|ideal|perfect)|more comfortable|care more about|matters more|usually (?:go|choose|pick|take|order|buy)|not a fan|go-to|soft spot|weakness for)\b"
)
_TODO = re.compile(
    r"\bstill (?:to do|need|needs|have|has|open|missing|left|pending|outstanding|waiting)\b|\bto-?dos?\b|\bremind (?:me|us)\b|\bdon't let me forget\b|\b(?:i|we)(?:'ll| will)? (?:still |also )?(?:need|have|want) to [^.]{3,60}\b(?:later|tomorrow|next|afterwards|"
    r"after that|this week|by|on|before)\b|\bon (?:my|our|the) (?:list|to-?do|plate)\b|\b(?:later|next|afterwards|tomorrow|after that|then),? (?:we|i|you) (?:need|should|have to|must|can|will)\b|\bfollow up\b|\bleft to\b|\bpending\b|\boutstanding\b|"
    r"\b(?:next|remaining|open) (?:up|steps?|items?|tasks?|points?)\b|\bnot (?:yet )?(?:done|finished|started) yet\b|\byet to (?:be|do)\b"
)

_REVERSAL = re.compile(
    r"\b(?:actually|instead|rather than|no longer|after all|on second thoughts?|on reflection|scratch|scrap|forget|chang(?:e|ed|ing) (?:my|our|of|it|that|the)|correction|never ?mind|switch\w*|swap\w*|replac\w+|withdraw\w*|withdrew|"
    r"revok\w+|lift(?:ed|ing)?|revers\w+|revert\w*|back to|undo|cancel\w*|drop\w*|any ?more|new plan|take (?:that|it) back|make (?:it|that)|renam\w+|bump\w*|rais\w+|extend\w*|relax\w*|overrul\w+|overrid\w+|turns out|hold on|sorry|now|"
    r"ditch\w*|was wrong|isn't needed|not needed|can (?:now|go)|(?:may|can|are|is) (?:now )?(?:be )?(?:okay|ok|fine|allowed|used)|update|push(?:ed)? (?:it |that |the )?|move\w*|supersed\w+|wait|from .{1,30} to|not .{1,30} but|not)\b"
)
_STRONG_REVERSAL = re.compile(
    r"^forget \w+, |\b(?:on second thoughts?|on reflection|scratch that|scrap (?:that|the|it)|i(?:'ve)? (?:changed|take) (?:my mind|that back|it back)|changed (?:my|our) minds?|change of plans?|forget (?:the|about|what|it|that|\w+[,;])|"
    r"no longer|after all|(?:is|are|was) (?:hereby )?(?:withdrawn|revoked|lifted|cancell?ed|superseded)|never ?mind (?:the|that|what|about)|take (?:that|it) back|new plan|strike that|instead of|going back to|"
    r"go back to|renam\w+ .{1,40} to|was wrong|bump\w* .{1,40} to|rais\w+ .{1,40} to|lower\w* .{1,40} to|extend\w* .{1,40} to|mov\w+ .{1,40} to|chang\w+ .{1,40} to|push\w* .{1,40} to|replac\w+ .{1,40} (?:with|by)|overrul\w+|overrid\w+|supersed\w+|instead|rather than|ditch\w*|switch(?:ing)? (?:\w+ ){0,4}(?:to|from)|swap\w* .{1,40} (?:for|with)|make (?:that|it) \w+|actually)\b"
)
_POLITE = re.compile(
    r"(?:^|(?<=[,;.!] ))(?:and |but |so |also |oh |hi |hey |well )?(?:(?:can|could|would|will) (?:you|we|i ask you to)(?: please| kindly| perhaps| maybe| possibly| also| just| at least| both)*(?! (?:look|tell|help|explain|check (?:if|whether)|find|send me|give me|show me|write|make|do|have|be|see|run|"
    r"fix|add|create|draft|summari[sz]e|compare|translate|recommend|suggest|book|remind)\b)(?: try to| make sure(?: that)?| see to it that)?|would you mind|do you mind|i(?:'d| would) (?:really |very much |be )?(?:appreciate it|appreciated|grateful|glad|happy|love it|like it)(?: very much)? if|it(?:'d| would) be (?:\w+ )?(?:great|nice|good|lovely|helpful|best|"
    r"better|appreciated|wonderful|ideal|kind)(?: of you)? (?:if|to)|if (?:you|it)(?:'s)? (?:could|would|can|wouldn't mind|don't mind)|may i ask (?:that )?(?:you )?(?:to )?|i(?:'d| would) (?:like|ask|prefer|want) (?:you )?to|i(?:'d| would) (?:like|want|need|prefer) (?=all|every|the|it|everything|only|no)|"
    r"please try (?:and|to)|try (?:and|to)|we ask that|i ask that|i kindly ask(?: you)? to) ?"
)
_GERUND = re.compile(
    r"^(not )?(keep|us|avoid|stick|stay|mak|includ|writ|answer|reply|leav|limit|skipp|omitt|stopp|mention|send|shar|add|giv|spell|round|cit|ask|wait|follow)(?:p|t)?ing\b"
)
_GERUND_E = frozenset({"us", "mak", "includ", "writ", "leav", "shar", "giv", "cit"})

_KEY_WORDS = (
    "always", "never", "only", "must", "should", "without", "please", "every", "ensure", "cannot", "before", "maximum", "budget", "prefer",
    "answer", "english", "exclude", "include", "instead", "actually", "decided", "anything", "nothing", "anyone", "forget", "remember",
)  # fmt: skip
_NO_TYPOS = frozenset(
    {
        "ever",
        "even",
        "on",
        "mus",
        "muss",
        "pleas",
        "befor e",
        "include",
        "included",
        "answer",
        "prefers",
        "excludes",
        "includes",
        "steady",
        "nothings",
    }
)


def _misspelled(word: str) -> Iterator[str]:
    """One letter too few, doubled, or two changed about; the first stays."""
    for at in range(1, len(word)):
        yield word[:at] + word[at + 1 :]
        yield word[:at] + word[at] + word[at:]
        if at + 1 < len(word):
            yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


_SPELLING = {wrong: word for word in _KEY_WORDS for wrong in _misspelled(word) if len(wrong) > 3 and wrong not in _NO_TYPOS | set(_KEY_WORDS)} | {
    "dont": "don't", "don;t": "don't", "dnt": "don't", "doesnt": "doesn't", "cant": "can't", "mustnt": "must not", "shouldnt": "should not", "wont": "won't",
    "pls": "please", "plz": "please", "plse": "please", "pleas": "please", "u": "you", "ur": "your", "shure": "sure", "shoud": "should", "olny": "only", "onyl": "only",
    "nver": "never", "evry": "every", "w/o": "without", "lets": "let's", "im": "i'm", "ill": "i'll", "didnt": "didn't", "isnt": "isn't", "msut": "must", "muts": "must",
    "avoide": "avoid", "aviod": "avoid", "aovid": "avoid", "sur": "sure", "mak": "make", "mkae": "make", "doo": "do", "dosnt": "doesn't", "bugdet": "budget", "tehn": "then", "gonna": "going to",
    "wanna": "want to", "use:": "use", "formt": "format", "fromat": "format", "keap": "keep", "kep": "keep", "kepp": "keep",
}  # fmt: skip
_TOKEN = re.compile(r"[a-z][a-z';/]*")
_LONGEST = 220  # characters; orders without key words are short


_CUES: tuple[tuple[Field, re.Pattern[str]], ...] = (
    ("negative", _NEGATIVE),
    ("role", _ROLE),
    ("format", _FORMAT),
    ("decision", _DECISION),
    ("constraint", _CONSTRAINT),
)
# what might be; it binds nobody
_UNREAL = re.compile(
    r"\b(?:would|could|might|imagine|suppose|wonder|whether|used to|as if|if (?:we|i|you|they|it) (?:had|were|could|would|only))\b"
)
# what a system text states rather than asks for
_STATED = re.compile(
    r"[:=]\s*\S+$|\b(?:is|are) (?:\S*\d|called|named|located|open|based|in|at|a|an)\b|\b(?:today|current(?:ly)?|has|have|contains?|consists?)\b|^\W*\w+(?: \w+)?\W*$|:$"
)
_LOOKS = re.compile(
    rf"(?<!\d )(?<!\d)(?<![$€£])\b{_LOOK}\b|^just (?:the|a|one|your|code|text|numbers?|names?)\b|\bnothing else\b|\bshow your work\w*|\bput (?:the |all )?\w+ (?:at|in|on|first|last|before|after)\b"
)
_MAKES = re.compile(
    r"\b(?:sort|the tables?|the list|this list|is|are|was|has|have|there|wrong|broken|error|file|files|i|we|my|make|create|build|draw|add|translate|convert|draft|which|who)\b"
)
_SHORT = 90
_PRECEDENCE: tuple[Field, ...] = ("negative", "role", "format", "constraint", "decision", "preference")
_CLAUSES = re.compile(r"[,;:\u2013\u2014]\s|\s-+\s|\b(?:and|but|so|because|cause|then|since|though|which|where|while)\b")
_MOST_CLAUSES = 16
_ASIDE = re.compile(r"\s*(?:if|when|whether|who|that)\b|\s*(?:i|we|he|she|they|it) (?!need|want|must|can only|can't|have to)\w+")
_TAG_QUESTION = re.compile(
    r"[, ]+(?:ok|okay|right|yeah|yes|please|alright|got it|deal|thanks|thank you|cool|pls|if possible)\s*[?]+[.! ]*$"
)
_REQUEST = re.compile(
    r"^(?:\w+[,!.]? ){0,3}?(?:can|could|would|will) (?:you|we|someone)\b|^(?:please )?(?:any chance|is it possible|would it be possible)\b"
)
_REQUEST_LIMITS: tuple[tuple[Field, re.Pattern[str]], ...] = (
    (
        "negative",
        re.compile(
            r"\bwithout \w|\b(?:but|and|,|just)? ?(?:please )?(?:don't|do not|never|not) (?!you\b|we\b|i\b|it\b|sure\b|only\b|yet\b|be able)\w|\b(?:but|and|with) no \w|\bavoid\b|\bleave out\b|\bexcept\b"
        ),
    ),
    ("format", re.compile(rf"\b(?:in|as|using|into) (?:an? )?(?:\w+ )?{_LOOK}\b")),
    (
        "constraint",
        re.compile(
            rf"\bonly\b|\b(?:under|below|within|at most|at least|no more than|up to|max|maximum|less than) {_NUMBER}|\bmake sure\b|\balways\b|\bby {_DAY}|\bbefore (?:you|any)\b|\bevery time\b|\bfrom now on\b"
        ),
    ),
)


def spelled(text: str) -> str:
    """The lower-case text with the common misspellings of key words mended and fillers left out."""
    if not _SPELLING.keys().isdisjoint(_TOKEN.findall(text)):
        text = _TOKEN.sub(lambda word: _SPELLING.get(word[0], word[0]), text)
    return _TAG_QUESTION.sub(".", _FILLER.sub("", text))


def without_courtesy(text: str) -> str:
    """What is asked for politely, as an order; the same text where nobody asks so."""
    polite = _POLITE.search(text)
    if polite is None:
        return text
    rest = text[polite.end() :].rstrip("?. ")
    gerund = _GERUND.match(rest)
    if gerund:
        stem = gerund[2] + ("e" if gerund[2] in _GERUND_E else "")
        rest = ("don't " if gerund[1] else "") + stem + rest[gerund.end() :]
    if rest.startswith("not "):
        rest = "do " + rest
    return re.sub(r"^you (?:did not|didn't) ", "don't ", rest)


def classify(text: str, is_system: bool) -> Field | None:
    """What a sentence without key words is; `text` is lower case, spelled, with its quotes and idioms masked.

    A long sentence, and one that also tells a story, is taken clause by clause.
    """
    if is_system and len(text) <= _LONGEST and (_SYSTEM_ROLE.search(text) or _ROLE.search(text)):
        return "role"
    if _TODO.search(text):
        return None
    if len(text) <= _LONGEST and not _PAST.search(text):
        return _first_field(text, is_system)
    found: set[Field | None] = set()
    for clause in _CLAUSES.split(text)[:_MOST_CLAUSES]:
        if len(clause) <= _LONGEST and not _PAST.search(clause) and not _ASIDE.match(clause):
            found.add(_first_field(clause.strip(), False))
    decided: Field | None = "decision" if len(text) <= _LONGEST and _DECISION.search(text) else None
    return next((field for field in _PRECEDENCE if field in found), decided)


def asked_with(text: str) -> Field | None:
    """What limits a polite request ("could you write it without jargon?")."""
    if not _REQUEST.match(text):
        return None
    return next((field for field, limit in _REQUEST_LIMITS if limit.search(text)), None)


def _first_field(text: str, is_system: bool) -> Field | None:
    unreal = _UNREAL.search(text) is not None
    for field, cues in _CUES:
        if (field == "decision" or not unreal) and cues.search(text):
            return field
    if is_system and _SYSTEM.search(text) and not _STATED.search(text):
        return "constraint"
    if not unreal and len(text) <= _SHORT and _LOOKS.search(text) and not _MAKES.search(text):
        return "format"
    return "preference" if _PREFERENCE.search(text) else None


def is_todo(text: str) -> bool:
    """Whether the sentence names work that is still to be done."""
    return _TODO.search(text) is not None


def reversal_strength(text: str) -> int:
    """2 where the sentence says that it changes something, 1 where it may if it speaks of something known, else 0."""
    if _STRONG_REVERSAL.search(text):
        return 2
    return 1 if _REVERSAL.search(text) else 0
