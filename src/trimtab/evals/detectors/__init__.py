"""Do detectors find loops, and only those? On labelled traces, on runs that met their goal, and on spliced runs."""

# what the labels are, and so what follows from the figures; printed with them
LIMITS = (
    "The labels are an agent's own model's word, one a ledger, and mean 'no headway', wider than a loop; a person has not checked them.",
    "They can show that alarms agree with that model's sense of being stuck more, or less, than a baseline's alarms do on the same traces.",
    "They cannot show how often agents loop, nor that an alarm helps, nor figures for other agents, models or tools: all are web tasks of one agent.",
    "The baselines are written anew and run on another product's traces: 0 means that the rule does not carry over, not that it fails at home.",
    "Halves have 15 (tune) and 14 (report) traces: the intervals are wide, and a difference whose interval spans 0 is none. Successes of tau-bench say only 'met its goal'.",
    "Spliced runs have exact labels and made-up texts: they show what is found of such loops, not how often such loops come.",
)
