"""The long document of the demo: a guide to scoring leads (about 3,700 words), and a short market note in Chinese."""

from __future__ import annotations

ARTICLE = """\
# Scoring industrial leads: a working guide for sales operations

Third edition, maintained by the revenue operations group. Comments to the owners named in the appendix.

## 1. Why a score at all

A sales team of twelve cannot call eleven hundred companies in a quarter. It can call about two hundred and forty, if each
first conversation takes half an hour and each account is prepared for twenty minutes. The score exists to choose those two
hundred and forty. It has no other purpose. It does not forecast revenue, it does not rank the people who work the accounts,
and it is not a verdict on the company behind the record. Teams that forget this start to argue about whether a company
"deserves" its 71 points, and an argument of that kind has never brought in an order.

The second reason is memory. A person who has sold measuring instruments for fifteen years carries a model of a good customer
in the head: a plant of a certain size, a quality department with a budget of its own, an audit coming up. When that person
leaves, the model leaves too. A written score is a poor copy of it, but it is a copy that can be read, criticized and improved
by whoever comes next. We have lost two such people in four years, and after the first departure the hit rate of first calls
fell from one in five to one in nine. After the second, with a score in place, it fell hardly at all.

## 2. What goes in

Three groups of inputs have earned their place. Everything else was tried and removed.

Company size stands for the ability to pay and for the number of measuring points. We use headcount at the site rather than
in the group, because a group with forty thousand employees may run a site with ninety. Where only the group figure is known,
the site is estimated from the share of its postal district in the group's job advertisements of the last year; the estimate is
marked as such in the record and it counts for half. Revenue is kept beside headcount but enters the score only where it was
published by the company or filed with a register. A revenue that was inferred from headcount would count headcount twice.

Intent stands for the moment. A webinar attended to the end, a data sheet downloaded twice, a visit to the stand that lasted
longer than the time needed to take a pen: these are weak signals alone and strong ones together. Each signal loses half of its
weight in sixty days. We measured this: of the accounts that ordered in the last two years, four fifths had shown their
strongest signal in the ninety days before the first call, and only one in twenty more than half a year before.

Fit stands for the match between what they measure and what we make. A brewery measures flow, temperature and dissolved oxygen;
we make all three. A software company measures none of them, whatever it downloads. Fit is decided by industry code first and by
the words on the company's own site second, and where the two disagree the site wins, since codes are often those of the
founding year.

## 3. What stays out

The title of the contact stays out. We tried it in the first edition, with points for "head of" and "director", and it favored
countries in which titles are given freely. In the second quarter of that year a third of all A grades came from one region, and
nearly all of them were wrong. The title now decides who calls, not whether anyone does.

The age of the domain stays out, as do the number of followers, the tone of an e-mail and the day of the week on which a form was
filled in. Each of these has been proposed with a chart, and each chart showed the past year only. When the same feature was
tested on the year before, the effect was gone.

The relationship with a competitor stays out as well, which surprises people. An account that uses a competitor's instruments is
neither better nor worse than one that uses none: the first knows what it needs and is slow to change, the second is quick to
decide and slow to understand. The two effects cancel almost exactly. What matters is the end of the service contract, and where
that date is known it belongs to intent.

## 4. Cleaning comes first

No formula survives dirty input. Four faults make up nine tenths of what we find in an average import.

The first is the same company under two names. Legal forms are written in a dozen ways, umlauts are dissolved or dropped, and a
translated name stands beside the original one. Names alone cannot settle this. Tax numbers can, and where both records carry
one, they decide: equal numbers mean one company, different numbers mean two, even where name, street and city agree. Sister
companies at one address are common in the food industry, where production and sale are separated for reasons of tax.

The second is the shared mailbox. An address that begins with info, office or contact belongs to nobody. A record that has no
other address gets no intent from e-mail, since a dozen people may have opened the message.

The third is the copied row. Trade show scanners write a visitor once for every stand that shares the device, and the export
repeats the row with another time. The time must be within the opening hours of the show; rows outside of them come from tests.

The fourth is the wrong currency. An export that leaves out the currency column was, in our experience, always made in the
currency of the exporting office, not in that of the account. The import log names the office.

## 5. The order of work

Read everything before changing anything. This sounds obvious and is rarely done: the usual import begins with corrections to
the first file while the third is still unread, and the corrections are then undone by what the third file shows.

Then validate, and write down what fails and why, with the row number of the source. Validation must not repair. A step that
repairs in silence hides the fault from whoever could remove it where it arises.

Then look for duplicates, three times: by name and city, by e-mail domain, by telephone exchange. Each pass finds pairs that the
others miss. A pair that was found by two passes is almost always right, one found by the telephone pass alone almost always
wrong, because of shared switchboards in business parks.

Then merge, in small batches, with a reason in every batch, and keep the identifiers of the merged records. A merge that cannot
be undone should be approved by a person. Then complete what is missing from registers and company pages. Completion after the
merge saves about a third of the look-ups. Only then score, and only then grade.

## 6. From score to grade

A score is a number between 0 and 100; a grade is a promise about what happens next. Grade A is called within two working days.
Grade B gets a written sequence of three messages and is called if it answers. Grade C goes back to marketing. Grade D is kept
for the record and not contacted.

Because a grade is a promise, the limits between grades must follow from the capacity of those who keep it. If twelve people can
call two hundred and forty accounts in a quarter, then there should be about two hundred and forty A grades, wherever that puts
the limit. Limits of 80, 60 and 40 are a habit, not a law of nature. In the quarter after a large trade show the limit for A
usually has to rise, in the summer it can fall. Whoever moves a limit should say so, with the date, in the notes of the report.

## 7. Breweries and beverages

Breweries order in the first quarter, when the tanks are opened for inspection, and decide in the last quarter of the year
before. A download in October is therefore worth more than one in March. The sites are small, seldom above two hundred people,
and the person who decides is the master brewer, not the purchasing department. Water treatment comes as a second order about
eight months after the first. A brewery that makes non-alcoholic drinks as well needs more flow meters, by a factor of two to
three, since the recipes change more often and every change of a recipe is a cleaning cycle that has to be documented.

The mistake to avoid is the brewpub. It has the right industry code, the right words on its site and four tanks. One order, no
second one.

## 8. Dairies

Dairies run at all hours, and a stop costs more than any instrument. They buy what they already have, unless a failure or an
audit forces their hand. The signal to look for is the audit: two months after a change of the food safety standard the requests
rise threefold, and fall back within half a year. Site headcount is a poor measure here, because the modern dairy is nearly empty
of people; tonnes of milk a day would be better and are published by most cooperatives in the annual report.

Cooperatives decide slowly, in boards, and in public. The minutes are often on the site. Three of our ten largest dairies were
found that way and by no score at all, which is worth remembering when the score looks too clever.

## 9. Pharmaceutical plants

A plant that makes sterile products must qualify each instrument on paper, and the paper costs more than the instrument. It will
therefore pay any reasonable price for a device that arrives with its documents complete and signed. Fit is high, intent hard to
see: nobody downloads a data sheet in a company whose browsers are locked down. Webinars are attended under private addresses,
which the import discards as consumer mail. For this industry alone, keep private addresses of people who name their employer in
the form, and match them by that name.

Time from first call to order is fourteen months in the median. A pharmaceutical lead that looks dead after half a year is not.

## 10. Water utilities

Utilities buy by tender. A score cannot make a tender appear, but it can tell which utility will publish one: those that have
received a grant, those whose director has changed, and those that had a burst main in the newspapers. Grants are published in a
register; the other two are found by a news search once a month. Headcount follows the population served, at about one employee
per twelve hundred people, and the population is easier to find.

Never promise a discount in writing to a utility before the tender is closed. The rule is the law in most countries and a reason
for exclusion in all of them. Sales staff who come from the private sector break it without knowing.

## 11. Machine builders

Machine builders do not use our instruments, they build them in. One design win brings orders for seven to ten years, at low
prices and high volumes. The contact is an engineer who wants drawings and a sample within a week; whoever sends a brochure is
out. Intent shows in the download of CAD files, and it is the strongest single signal in the whole of our records: two of five
accounts that downloaded three or more CAD files ordered within a year.

The size of the company says little, that of its largest machine says more. A builder of filling lines with sixty employees
may ship four hundred flow meters a year, and a group with six thousand may ship none.

## 12. Chemical parks

A chemical park is one address with thirty companies. The duplicate search goes wrong here more than anywhere else: the same
gate, the same switchboard, often the same e-mail domain of the park's operator. Merge nothing in a park by telephone or domain.
The operator runs the utilities, steam, cooling water and waste water, and is the best customer of all; the tenants buy through
the operator or not at all. A lead of a tenant should be attached to the operator's account as a contact, with the tenant's name
in the notes.

## 13. Paper, pulp and board

The industry shrinks in graphic paper and grows in board. A mill that converts a machine from one to the other buys everything
anew, consistency meters first, and the conversion is announced in the trade press two years ahead. That announcement is worth
more than all other signals together. Mills that only replace worn parts stay at a steady, small volume and are served well by the
web shop; they should be graded B even where the score says A, because a call adds nothing.

## 14. Shipyards and marine engines

Yards work by project. The order comes with the keel and the next one may be three years away, so the decay of intent by half in
sixty days is wrong here; use a year. Certificates of the classification societies decide, and the society is printed on every
drawing. The buyer is often in another country than the yard: the engine maker in Finland, the yard in Korea, the owner in Greece.
Record the yard as the site and the engine maker as the account. Exchange rates matter more than list prices; quotations should
name one currency and the day of the rate.

## 15. Checking the score against the world

A score that is never checked becomes folklore. Twice a year, take the last two hundred closed accounts, won and lost, and compute
what their score was on the day of the first call. Sort them, cut them into five groups of forty and count the wins. In a healthy
score the top group wins at least three times as often as the bottom one, and the groups in between rise in order. When two
neighbors change places, look at the inputs; when the top group falls under the second, stop using the score until the cause is
found.

Look at the misses by hand. Ten lost accounts with a high score and ten won with a low one teach more than any table. In the
last review, seven of the ten unexpected wins had come through a service technician who had been on the site for another reason.
No input of the score can see that, and none should try; instead, technicians now have a form with three fields.

Beware of the loop. Accounts with a high score are called more, and accounts that are called more are won more. To break it, give
five accounts out of each hundred to the callers at random, without their score, and compare. The difference between these and the
rest is what the score is worth. At the last count it was a factor of 2.3, which pays for the whole exercise many times over.

## 16. Common objections

"My region is different." It may be. Show it with forty closed accounts, and the weights for the region will be changed. So far
two regions have done this, and both were right: one because of tenders, the other because distributors there hold the stock.

"The score is not transparent." Each record shows its three parts, the inputs of each part and the date of each input. What most
people mean is that they disagree with the weights. The weights are set by the owner of the process, once a quarter, in writing.

"It is unfair to new markets." It is, by design, since it learns from what was sold. A new market should have a quota of calls
that does not depend on the score, for two years, and then be judged like the others.

"A machine could do this better." It may do the arithmetic; we let it. But models that were trained on our own four thousand
closed accounts did not beat the simple weights by more than the noise of one quarter, and nobody could say why a given company
had the score it had. The experiment is repeated every second year and its notes are public inside the company.

## 17. Numbers to keep in mind

The following were measured on our own records and are the basis of the defaults. Median time from first call to order: machine
builders five months, breweries seven, dairies nine, chemical parks eleven, pharmaceutical plants fourteen, utilities sixteen.
Share of imports that are duplicates: trade shows 18 %, webinars 7 %, partner lists 31 %, own web forms 4 %. Share of records in
which the site headcount had to be estimated: 22 %. Points gained by completing a record from registers: 6 on average, which moves
one record in nine across a limit. Cost of a look-up in a paid register: between 0.40 and 2.10, depending on the country. Hours a
person needs to clean a thousand records by hand: sixty-one. With the order of work in section 5 and a tool for the three passes:
nine.

## 18. Roles

The process has an owner, who sets weights and limits and signs the quarterly report. The operator, a person or a program, does the
cleaning, the scoring and the grading, and changes nothing that the owner has set. The regional leads see the grades first and have
three working days to object, record by record, with a reason. The data protection officer sees the list of fields and the term of
storage, and may have any record removed without giving a reason. When these four are the same person, as happens in small
companies, the steps should still be done on different days.

## 19. Contract fillers and packaging

A contract filler works for brands that change every season, and what it needs changes with them. In one year it fills shampoo,
in the next an oat drink. The instruments must be cleaned in place, moved within a day and calibrated by the filler's own people.
Those who buy are the shift engineers, and they ask each other: three of our four largest fillers came by word of mouth within a
radius of eighty kilometers. Score the neighbors of every won filler ten points up for half a year. The signal that counts is a
new contract with a brand, which the brand announces and the filler does not.

Packaging makers buy for their own lines rarely, and for their machines often; treat those that build machines by section 11. The
two are told apart by the number of electrical engineers among their open positions: none or one for a maker of packages, four or
more for a builder.

## 20. Data centers and cooling

Five years ago this section did not exist. A hall with liquid cooling has one flow meter for each rack row and two temperature
points for each meter, which makes four to nine hundred measuring points in a building of sixty employees. Headcount, the heart of
the size score, fails completely. Use the connected load instead, which stands in the building permit: one megawatt counts like
twenty-five employees. The permits are public in most districts and are published some fourteen months before the halls are
equipped. The planner, not the operator, writes the specification, and a planner who has written it once will copy it for years.

Be careful with announcements. Of the projects that were announced with a number of megawatts in the last three years, fewer than
half had a permit a year later. An announcement is no signal; a permit is.

## 21. A worked example

Take a dairy with 310 people at the site, a webinar attended to the end forty days ago, a data sheet downloaded eight days ago, and
the industry code of cheese makers. Size: the table gives 64 points for 250 to 400 people. Intent: the webinar is worth 40 points
on its day and 40 times 0.63 after forty days, thus 25; the data sheet is worth 30 and after eight days still 27; together 52. Fit:
the code gives 80, the site mentions whey concentration, which adds 10, so 90. With weights of one third each the score is 68.7,
with weights that stress size it is 67, with weights that stress intent 65. The example shows what the weights do in practice: they
move most records by two or three points, and only those near a limit change their grade.

Now let the same dairy have its audit in six weeks. The audit is a signal with a date in the future; it counts 35 points from
ninety days before until the day itself. Intent rises to 87, the score to 80.3. One line in the minutes of a cooperative was worth
more than everything the dairy had told us itself.

## 22. What changed in this edition

The title of the contact was removed from the inputs. The decay of intent was measured anew and shortened from ninety days to
sixty. Sections 19 and 20 are new. The table of site headcount has two more steps below one hundred people, since a third of all
machine builders stood on the lowest step before. The chapter on telephone campaigns was deleted with the campaigns. The numbers
in section 17 were computed again over eight quarters; those of the second edition covered five and are kept in the archive.

## Appendix: words used here

Account: a company that has been given to somebody. Lead: a record of a company or a person that has not. Site: a place with a
gate. Signal: an event with a date that we did not cause. Completion: filling an empty field from a public source. Merge: making
one record from two, with both identifiers kept. Limit: the lowest score that still belongs to a grade. Owner: see section 18.
"""

MARKET_NOTE = """\
华东与华南工业客户跟进要点（内部资料，第二版）

一、客户结构。华东的客户以食品饮料、制药和精细化工为主，单个厂区人数一般在一百五十到八百之间；华南以设备制造商和包装企业为主，
厂区较小，但一年会下两到三次订单。两地的决策方式不同：华东由质量部提出需求，采购部比价，周期约九个月；华南往往由工程师直接选型，
样机试用两周后就能定下来。

二、首次联系。第一次联系以邮件为主，邮件里附一页中文选型表，不附价格。对方回复以后再安排线上会议，会议不超过四十分钟，
由应用工程师讲一个同行业的案例。经验表明，先讲案例再讲产品，进入报价阶段的比例从百分之十一升到百分之十九。

三、常见误判。同一集团在同一园区注册了生产公司和销售公司，名称只差两个字，税号不同，不能当成一家。展会扫码得到的名片里，
有三成是经销商，应当转给渠道团队。填写的公司规模常常是集团人数，要看厂区的社保参保人数，这个数字在企业信用公示系统里可以查到。

四、行业线索。乳制品企业在标准更新后的两个月内需求最集中；啤酒企业在十月到十二月选型，第一季度安装；水务公司看招标公告和专项资金名单；
纸厂改造项目会提前两年在行业媒体上公布。包装设备企业如果下载过三个以上的三维图纸，半年内试用的可能性很高。

五、摘要写法。给区域负责人的摘要每家不超过两行：第一行写公司、行业、厂区规模和得分，第二行写最近一次有效动作和建议的下一步。
不要写推测的营业额，也不要写联系人的私人信息。得分相同的，按最近动作的日期先后排列。摘要写好以后由流程负责人看过再发，
区域负责人有三个工作日提出异议，逾期视为同意。

六、节奏。A 级客户两个工作日内联系；B 级客户发三封信，间隔十天；C 级客户转回市场部，下个季度再看。春节前后两周不安排首次电话，
十月第一周也一样。季度末不催单，催来的订单有四成会在次月退改，给工厂排产带来的麻烦比收入大得多。
"""
