"""English cues: which words show that a text gives, or asks for, a kind of information. Read by `intents.py`.

Each kind has phrases by weight; 2 is enough by itself. "|" parts phrases, "#" stands for any number, "#th" for an
ordinal, "#:#" for a time of day, "#date" for a date in digits. A mark such as "," is a word of a phrase.
"""

from __future__ import annotations

from collections.abc import Mapping

Cues = Mapping[str, Mapping[float, str]]

_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_WEEKDAYS_OFTEN = "mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekdays|weekends"
_MONTHS = "january|february|april|june|july|august|september|october|november|december"

GIVES: Cues = {
    "gives_time": {
        3: "#:#|#date|# am|# pm|# a.m|# p.m|on the #th|# o'clock|every month|every week|every year|every day|every quarter|every morning"
        "|every evening|in march|in may|since #date|until #date|days ago|weeks ago|months ago|years ago|hours ago|minutes ago"
        "|a week ago|a month ago|a year ago|# may|# march|may #|march #|end of the month|end of the quarter|end of the year"
        "|end of the week|beginning of the month|start of the month|first of the month|each month|each week|each year|each day"
        f"|{_WEEKDAYS_OFTEN}|due on|scheduled for|expires|expired on|expires in|renews|starts at|opens at|closes at|takes place"
        "|once a month|once a week|twice a week|once a year|every # days|every # weeks|every # months|every # hours",
        2: f"{_WEEKDAYS}|{_MONTHS}|yesterday|last week|last month|last year|last night|next week|next month|next year|the day before"
        "|the day after|the day before yesterday|the day after tomorrow|this morning|this afternoon|this evening|monthly|quarterly"
        "|yearly|annually|weekly|daily|nightly|hourly|midnight|noon|at night|on the weekend|earlier this|later this"
        "|postponed to|moved to #"
        "|deadline|utc|cest|due",
        1: "today|tomorrow|this week|this month|this year|tonight|now|soon|ago|in #|since #|until|before|after|early|late|later"
        "|earlier|first week|spring|summer|autumn|winter|#th|christmas|easter",
    },
    "gives_steps": {
        2.5: "step #|the steps|follow these|proceed as follows|as follows|here is how|here's how|this is how|instructions",
        1.5: "head over|hit|key in|type in|via settings|point the|swipe|scan the|by scanning|get redirected|approve|submit"
        "|fill in|fill out|go into|pull down|in the menu|button|first|finally|afterwards|and then|, then|after that|next ,"
        "|go to|log in|sign in|is done by|you do this by|by opening"
        "|by clicking|by sending|by running|by calling|by using|by going|by filling|by setting|by changing|in the app|in settings"
        "|settings ,|make sure|you need to|you have to|you can do|you must|all you need|command|form|click|tap|scan|then",
    },
    "gives_reason": {
        3: "because|because of|due to|the reason|reason is|reason was|reason being|the cause|cause was|caused by|root cause"
        "|owing to|thanks to"
        "|that is why|that's why|which is why|this is why|on account of|as a result of|culprit|blame|the problem was|the issue was"
        "|the trouble was|stems from|comes down to|brought about by|what triggered|triggered by|explains why|explanation|down to the fact"
        "|since we|since the|since my|since it|since i|since our|since you|since they|since there|since nobody|since no",
        2: "insufficient|didn't match|did not match|doesn't match|not match|timed out|was down|under maintenance|invalid"
        "|blocked by|refused by|rejected by|declined by|mismatch|used up|run out|ran out|lacked|unpaid|overdue|damaged"
        "|was full|too small|not on file|out of date|excludes|excluded|bounced|hence|led to|leads to|resulted from|as the"
        "|as my|as we|as it|as i|as our|as they|as there|turned out|it was the|so that is"
        "|for the sake of|in order to avoid|to blame|the fact that|why it|seeing that|given that|had been set|, so it|, so the"
        "|, so we|, so i"
        "|therefore|it turned out|went wrong|wasn't able|mistake",
        1: "as a result|so|so that|to avoid|since|for this|not match|mismatch|expired|missing|wrong",
    },
    "gives_options": {
        3: "can all be used|works as well|work as well|isn't accepted|aren't accepted|not accepted|it handles|takes only"
        "|cards only|lets you|in stock|and neither|we've got|covers|any of|kinds of|types of|sorts of|either|accepts"
        "|accepted|supports|supported|not supported|choose between|choose from|pick between"
        "|options are|option a|option b|the options|available are|alternatives|alternatively|compatible with|works with|you can choose"
        "|can pick|is offered|offers|on offer|come in|to choose from|the following|these are|can be paid with|we take|they take",
        2: "such as|includes|including|include|consists of|available|options|option|variants|variant|versions|choices|plan a"
        "|plan b|namely"
        "|are fine|for example|as well as|there are|we have|comprises|candidates",
        1: "both|also|or|e.g|like",
    },
    "gives_amount": {
        3: "sets you back|fiver|tenner|spent|came to #|comes to #|is #.# |all told|# k|hundred euros|a cent|pay #|pays #"
        "|pay nothing|$ #|€ #|£ #|¥ #|us$ #|# $|# €|# £|# dollars|# dollar|# euros|# euro|# pounds|# cents|# pence|# yuan"
        "|# rmb|# usd|# eur|# gbp"
        "|# bucks|# %|# percent|costs #|cost #|in total|amounts to|amounted to|total of|free of charge|for free|priced at|# per|worth #",
        2: "costs|cost|price|priced|the fee|fee is|paid #|charged #|per month|per year|per user|per day|per hour|plus tax"
        "|discount|expensive"
        "|cheap|off|# gb|# mb|# tb|# kg|# km|# miles|# people|# users|# times|# items|# hours|# minutes|# seconds|# million"
        "|# thousand|dozens|hundreds",
        1: "#|a month|a year|total|half|double",
    },
    "gives_place": {
        3: "head office|headquarters|are under|is under|on the back|shared drive|saved to|saved in|saved under|lower right"
        "|upper right|lower left|upper left|top right|hides|printed on|at the back|right by|show up under|shows up under"
        "|located|is stored in|are stored in|stored in|stored at|stored under|kept in|kept at|sits in|sit in|lives in|live in"
        "|can be found|will find|found under|found in|found at|next to|behind|opposite|in front of|upstairs|downstairs|across from"
        "|around the corner|on the left|on the right|at the bottom|at the top|ground floor|upper floor|lower floor|basement|street"
        "|avenue|# floor|#th floor|based in|headquartered|address is|region|bucket|folder|directory|is at|hosted in|hosted on|resides",
        2: "floor|road|building|city|branch|warehouse|room|page|corner|near|nearest|nearby|menu|tab|server|shelf|drawer"
        "|in berlin|in london"
        "|in paris|on the page|downtown|station|entrance|section|path|under /|at the|center|location|placed in|put it in",
        1: "in the|inside|outside|above|below|beside|between|here|there",
    },
    "gives_person": {
        3: "accounting|accountant|auditor|admin rights|in the name of|registered to|signed by|questions about|speak to"
        "|go to mr|go to ms|wife|husband|boss|sold me|in my name|responsible|in charge|owns|owner|is owned by|contact"
        "|reach out to|is called|his name|her name|named|handles|set up by|taught by"
        "|led by|run by|managed by|belongs to|assigned to|reports to|the person|representative|approves|signs off|ask for|talk to"
        "|written by|made by|created by|mr|mrs|ms|dr|looks after|takes care of|is our|is my|is the lead|point of contact",
        2: "who|father|mother|sister|brother|friend|partner|neighbor|intern|lawyer|doctor|access to|miss|name|manager|lead"
        "|colleague|teacher|coach|engineer|director|assistant|administrator|admin|supervisor|from finance|from sales|from support"
        "|from legal|from marketing|teaches|leads|manages|runs|whose|together with|by the team|instructor|expert",
        1: "his|her|him|he|she|by",
    },
    "gives_result": {
        3: "the result|results|result was|result of|outcome|came out|turned out to|scored|score of|the test showed|tests pass|test passed"
        "|tests passed|we measured|measured|improved by|improved from|dropped to|rose to|fell to|went up to|went down to|increased to"
        "|decreased to|up from|down from|better than|worse than|we found that|it shows|showed that|shows that|reached"
        "|in the end|ended up",
        2: "improved|found|level|score|accuracy|passed|compared to|conclusion|faster|slower|now takes|succeeded",
        1: "after|from # to #|better|worse|result",
    },
    "decision": {
        4: "it is .|we said|made up my|is enough|the team picked|ended up with|in favor of|ok then|okay then|right , we|fine ,"
        "|went for|go for|we keep|stays on|stay with|stays in|decided|we decided|i decided|decision|final choice"
        "|final decision|settled on|agreed|agreed on|agreed to|we agreed|go with|going with"
        "|opted for|chose|we picked|i picked|stick with|sticking with|it's settled|it is settled|we will use|we'll use|i'll take|we'll go"
        "|made up my mind|signed off on|approved|resolved to|let's go|let's use|let's keep|let's stick|choose to|chosen|went with",
        2: "confirmed|instead of|rather than|not to|will keep|plan is to|after all|won't|final|opt|consensus|picked|we keep|settle on",
        1: "instead|keep|drop",
    },
    "done": {
        3: "up and running|went in|were accepted|was accepted|is settled|are settled|cleared|in place|has gone|have gone"
        "|work again|works again|back online|got the|already|have moved|have been|has been|i've|we've|is done|are done"
        "|done with|finished|completed|has fixed|have fixed|is now|are now"
        "|now works|is fixed|got it working|taken care of|all set|up to date|went live|is live|has gone out|i have|we have now|managed to"
        "|successfully|no longer|is ready|was fixed|was resolved|is resolved|just finished|just sent|just paid|just fixed|is complete",
        2: "fixed|moved|updated|paid|switched|resolved|deployed|merged|installed|submitted|migrated|cancelled|canceled|renewed"
        "|replaced|closed"
        "|implemented|uploaded|has sent|were updated|was updated|signed|shipped|done|delivered|ready|works now|set up",
        1: "now|have|has|changed|added|removed|sent|created|deleted|off|on",
    },
    "promise": {
        4: "count on me|their word|count on it|you can count|i am going to|at the latest|said he'd|said she'd|said they'd"
        "|has agreed to|promise|promised|promises|committed to|commit to|commits to|assured|assures|guarantee|guaranteed"
        "|guarantees|pledged|gave their word"
        "|gave his word|gave her word|swore|you have my word|vowed|undertook to",
        2: "going to|as soon as|would ring|would call|would be|before noon|will vanish|will get you|won't be|i'll|we'll"
        "|will be|will send|will refund|will fix|will call|will get|will have|will give|will bring|will deliver|will let"
        "|said she will"
        "|said he will|said they will|said they would|would be|by tomorrow|within #|going to|get back to|said it would|they'll"
        "|he'll|she'll",
        1: "will|would|by|tomorrow|next",
    },
    "limit": {
        4: "a cent more|is the most|the most|stops at|stop at|ends at|are refused|is refused|larger than|bigger than|go over #"
        "|mustn't be|per day you|capped at|per customer|not over|beyond #|any more than|higher than|longer than|at most"
        "|no more than|not more than|up to #|maximum|maximum of|max|limit|limits|limited to|limited|cannot exceed|can't exceed"
        "|may not exceed|must not exceed|not exceed|more than # are|only once|once every|capped|cap|quota is|minimum"
        "|at least #|is not allowed"
        "|not allowed|are allowed|is allowed|not permitted|no longer than|may only|can only|restricted|restriction|fewer than|less than #"
        "|is forbidden|prohibited|only #|only one|no fewer than|can't have more|as many as|more than #|exceed|the ceiling|threshold",
        2: "quota|allowed|permitted|can't|cannot|may not|only|must not|per account|per person|per user|at a time|mustn't",
        1: "each|least|up to",
    },
    "complaint": {
        4: "annoyed|annoying|unacceptable|frustrated|frustrating|disappointed|disappointing|terrible|awful|horrible|fed up"
        "|sick of|ridiculous|complain"
        "|complained|complaint|disgusting|filthy|rude|useless|waste of|nobody cares|the worst|angry|upset|outrageous|pathetic|hate"
        "|unhappy|a nightmare|a joke|not happy|dissatisfied|unbearable|lousy|can't stand",
        2: "too loud|too slow|too expensive|too long|too many|far too|way too|keeps failing|keeps crashing|again and again"
        "|still not|still broken|dirty"
        "|broken|poor|bad|for weeks|really|noisy|confusing|crashes|buggy",
        1: "too|again|never",
    },
}

ASKS: Cues = {
    "when": {
        6: "when did|when is|when was|when do|when will|when does|when are|when were|when can|when should|when would|when has"
        "|when have|when am"
        "|when exactly|when to|when must|when may|know when|tell me when|when's|what day|what date|what time|which day"
        "|which date|what month|which month|what year|which year|how soon|how long ago|since when"
        "|which week|what week|at what time|how often",
        2: "when|date of|time of|deadline|how long|schedule",
    },
    "how": {
        5: "how do i|how do we|how do you|how does one|how is it done|how to|how can|how should|how could|how must|how may"
        "|what must i do|what do i do"
        "|what do i need to|what should i do|way to|steps|procedure|instructions|walk me through|explain how|how exactly",
        1: "how",
    },
    "why": {
        6: "why|reason|reasons|how come|what caused|what made|what went wrong|cause of|what led|explain why|what is behind"
        "|what triggered|what for"
        "|what was the problem|what was wrong|the cause",
    },
    "how_much": {
        6: "how much|how many|what price|the price|what does it cost|what is the cost|what amount|which amount"
        "|what did it cost|how expensive|how big"
        "|how large|how high|how far|how old|how long|what percentage|the fee for|what fee|total cost",
        3: "cost|costs|price|prices|amount|fee|number of",
    },
    "which": {
        4: "methods|what methods|what payment|what currencies|what models|what countries|what languages|what formats"
        "|what brands|which|what kinds|what kind|what types|what type|what sorts|what sort|name the|what are my"
        "|what can i choose|what do you offer|what other",
        2: "options|option|kinds|types|available|accepted|supported|accept|support|choose from|alternatives",
    },
    "who": {6: "who|whose|whom|who's|which person|which colleague|contact person|in charge|responsible for|whom should|what is the name"},
    "where": {
        6: "where|where's|which region|which folder|which directory|which place|what place|which city|what city|which floor"
        "|what floor|which room"
        "|what address|the address|location|whereabouts|which street|which branch|which server|in which file|which file"
        "|which warehouse|what path",
    },
    "decision": {
        5: "go for|did we go|in the end|decide|decided|decision|decisions|agree|agreed|agreement|settle|settled|settle on"
        "|chose|opt for|go with|went with|conclusion"
        "|final choice|final plan|did we choose|did we pick|did i choose|did i pick|made up|consensus",
        2: "choose|choice|pick|picked|chosen",
    },
    "done": {
        5: "sorted out|done for|finished setting|have we finished|been done|already|finished|completed|taken care|status"
        "|progress|have i done|have you done|have we done|been finished|been completed"
        "|did we finish|so far|is done|got done|been fixed|been solved|been resolved|accomplished|did you finish|been changed"
        "|been sorted",
    },
    "result": {
        5: "result|results|outcome|turn out|turned out|come out|came out|score|end up|ended up|did it go|findings|finding",
    },
    "promise": {
        7.5: "promise|promised|promises|commit|commits|committed|commitment|commitments|assure|assured|guarantee|guaranteed"
        "|pledge|pledged|swear",
        2: "will do|would do|going to do",
    },
    "limit": {
        7: "limit|limits|limitation|limitations|maximum|minimum|max|at most|at least|allowed|permitted|cap|quota|restriction"
        "|restrictions|upper bound"
        "|how many can|how many may|exceed|restricted|am i allowed|how long can|how long may|ceiling|threshold|the most",
    },
    "complaint": {
        6: "complain|complained|complaint|complaints|annoy|annoyed|annoys|unhappy|upset|frustrate|frustrated|bother|bothered"
        "|bothers|dislike"
    },
    "option": {3: "#th option|first option|second option|third option|last option|#th suggestion|#th alternative|#th proposal"},
}

# verbs that, where a clause begins with them, tell somebody to do a step
_STEP_VERBS = (
    "add allow answer apply approve attach browse bring build buy call cancel change check choose clear click clone close collect compare"
    " complete configure confirm connect continue copy create define delete deploy disable double-click download drag edit enable enter"
    " export fill find follow generate give go hand hold import insert install keep link locate log look move name navigate open paste"
    " pay pick place plug press print put register reload remove rename repeat replace restart run save scan scroll search select send"
    " set show sign start stop store submit swipe switch tap test tick toggle turn type uncheck unlink unplug update upload use verify"
    " visit wait write"
)
STEP_VERBS = frozenset(_STEP_VERBS.split())
STEP_OPENERS = frozenset([",", ":", ";", ".", "then", "and", "first", "finally", "next", "now", "-", ")", "simply", "just", "afterwards"])
