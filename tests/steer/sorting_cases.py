"""What users say in the middle of a task, with what it is: 60 messages of each kind, half English, half Chinese.

Every second one (`HELD`) was looked at only after the code was done; the others (`SEEN`) while it was written. One hand wrote
both: of 96 more, put in other ways and not kept here, 63 were told apart at first sight.
"""

from __future__ import annotations

from trimtab.core.task import PlanStep, StepRecord, TaskState
from trimtab.steer.interruptions import Interruption


def _task(goal: str, *steps: str) -> TaskState:
    return TaskState("t1", goal, tuple(PlanStep(step) for step in steps), {steps[0]: StepRecord(status="active")})


TASKS = {
    "leads": _task("Score the sales leads by region and write a report", "fetch leads", "clean rows", "remove duplicates", "score leads"),
    "review": _task("Review the pull request on the payment module", "read the diff", "run the tests", "write comments"),
    "blog": _task("Move the company blog from WordPress to Hugo", "export posts", "convert pages", "check links", "deploy"),
    "线索": _task("清洗销售线索并写报告", "收集线索", "清洗数据", "去重", "评分"),
    "合同": _task("审查与供应商的合同", "通读合同", "列出风险", "写审查意见"),
    "课程": _task("为新员工编写入职培训课程", "收集资料", "拟定大纲", "编写讲义", "制作测验"),
}

_INPUT = """
leads | Use the European regions only.
leads | Skip anything from Ohio.
leads | yes, go ahead
leads | How many leads are left?
leads | Why did you drop that one?
leads | The budget column is in euros, not dollars.
leads | Are you done yet?
leads | What about companies without a website?
leads | Don't mail anybody.
leads | no
review | Which files have you looked at so far?
review | Ignore the formatting changes, please.
review | Can you also check error handling?
review | Is it safe to merge?
review | Focus on the refund path.
review | What does this function return?
review | Please be stricter about naming.
review | The author is new, so be kind.
review | Did anything fail?
review | Could you explain your second remark?
blog | Leave out the drafts from 2019.
blog | Which theme?
blog | Keep the old addresses working.
blog | How long will it take?
blog | By the way, images go to the assets folder.
blog | When you finish, tell Maria.
blog | Do the newest ones first.
blog | Where do the redirects go?
blog | I changed my mind: no comments section.
blog | What's the status?
线索 | 只要华东地区的。
线索 | 线索还剩多少？
线索 | 可以，继续
线索 | 跳过没有电话的公司
线索 | 为什么把这一行删了？
线索 | 金额那一列的单位是万元
线索 | 好了吗？
线索 | 浙江的呢？
线索 | 不要给客户发邮件
线索 | 对了，没有邮箱的也要
合同 | 第三条你怎么看？
合同 | 重点看付款条件
合同 | 目前发现几个风险？
合同 | 违约金太高了，要写进去
合同 | 这样改合适吗？
合同 | 对方的名称以营业执照为准
合同 | 能不能写得简短一些？
合同 | 审到哪里了？
合同 | 保密条款先不看
合同 | 是的
课程 | 每一章加一个案例
课程 | 大纲里为什么没有信息安全？
课程 | 语气轻松一点
课程 | 还要多久？
课程 | 哪个部门？
课程 | 请用公司的模板
课程 | 你能把题目出得难一点吗？
课程 | 新员工大约二十人
课程 | 讲义写完先发给我
课程 | 结果怎么样？
"""

_SIDE = """
leads | What is the capital of France?
leads | what's the weather in Paris?
leads | Who won the World Cup in 2014
leads | Do you like music?
leads | By the way, how tall is Mount Everest?
leads | Translate this into French: hello
leads | Can penguins fly?
leads | What time is it in Tokyo?
leads | Tell me a joke.
leads | How do I cook rice?
review | Why is the sky blue?
review | Quick question: who painted the Mona Lisa?
review | Write me a poem about cats.
review | Are there any good sushi bars in Berlin?
review | How many miles is a marathon?
review | Please book a flight to Rome.
review | When is the next solar eclipse?
review | hey, do you know a good recipe for pancakes?
review | What does "serendipity" mean?
review | Could you recommend a movie for tonight?
blog | Is it going to rain tomorrow?
blog | I'm curious: when did the Berlin Wall fall?
blog | Remind me to call my mother at six.
blog | Which planet has the most moons?
blog | Convert 12 miles to kilometers.
blog | Just out of curiosity, can octopuses see color?
blog | What is love?
blog | Was Napoleon really short?
blog | Who was the first woman in space?
blog | Any idea how to get wine out of a white shirt?
线索 | 法国的首都是哪里？
线索 | 今天北京天气怎么样？
线索 | 你喜欢音乐吗？
线索 | 顺便问一下，珠穆朗玛峰有多高？
线索 | 把“你好”翻译成法语
线索 | 企鹅会飞吗？
线索 | 讲个笑话
线索 | 现在几点了？
线索 | 红烧肉怎么做？
线索 | 谁写了红楼梦
合同 | 天空为什么是蓝色的？
合同 | 帮我写一首关于猫的诗
合同 | 附近有什么好吃的？
合同 | 请帮我订一张去罗马的机票
合同 | 题外话：马拉松全程多少公里？
合同 | 下一次日食是什么时候？
合同 | 你知道怎么做煎饼吗？
合同 | “内卷”用英语怎么说
合同 | 推荐一部周末看的电影吧
合同 | 明天会下雨吗？
课程 | 好奇问一句，柏林墙是哪年倒的？
课程 | 提醒我六点给妈妈打电话
课程 | 哪颗行星的卫星最多？
课程 | 十二英里等于多少公里
课程 | 章鱼能看见颜色吗？
课程 | 拿破仑真的很矮吗？
课程 | 第一位进入太空的女性是谁？
课程 | 白衬衫上的红酒渍怎么去掉？
课程 | 从上海步行到杭州要几天？
课程 | 什么是量子纠缠？
"""

_NEW = """
leads | New task: book a flight to Rome.
leads | Forget that for now. Please draft a press release.
leads | Stop working on the leads and prepare my slides for Monday instead.
leads | Let's do something else: plan the summer party.
leads | I have a different job for you.
leads | Drop what you're doing and write an apology to Acme.
leads | Put this on hold, I need a budget for next year first.
leads | Change of plans, we are going to build a landing page instead.
leads | Never mind the report, help me hire a designer.
leads | Let's switch to another project.
review | Abandon this review. Set up the new laptop for Jim.
review | Actually, forget all this, fix the login page now.
review | Here's another task for you: order new chairs.
review | Please pause this and translate the brochure.
review | Instead of reviewing, write the release notes.
review | Can we do something different? I want a logo.
review | We can stop here. Next job: tidy up the wiki.
review | I'd like you to work on something else now: the tax forms.
review | Scrap the review; we need a press kit today.
review | Leave it. Start on the customer survey.
blog | Okay, new assignment: analyze the survey answers.
blog | Cancel the migration and make a shop instead.
blog | I want you to stop this and look for an apartment in Lisbon.
blog | Let's move on to a new topic: hiring.
blog | Set this aside. Can you prepare the board meeting?
blog | This can wait. First write the invoice for Miller.
blog | Quit that, I need a birthday speech.
blog | A new request: build a quiz about whales.
blog | Enough of the blog, let's work on the podcast.
blog | Hold off on this task and compare three phone plans for me.
线索 | 新任务：订一张去罗马的机票。
线索 | 换个任务，帮我写一份新闻稿。
线索 | 先别管线索了，帮我准备周一的幻灯片
线索 | 我们做点别的吧：策划夏季聚会
线索 | 我有另一件事要你做
线索 | 放下手头的工作，给客户写一封道歉信
线索 | 这个先放一放，我要先做明年的预算
线索 | 计划变了，改做一个落地页
线索 | 报告不写了，帮我招一个设计师
线索 | 切换到另一个项目
合同 | 停止审查，去给新同事装电脑
合同 | 算了，不弄这个了，先修登录页面
合同 | 给你一个新任务：订购办公椅
合同 | 请暂停一下，先翻译宣传册
合同 | 别审合同了，写发布说明吧
合同 | 能不能先做别的？我想要一个标志
合同 | 就到这里吧，下一个任务：整理知识库
合同 | 现在请你改做另外一件事：填税表
合同 | 取消审查，今天需要媒体资料
合同 | 先不做这个，开始做客户调查
课程 | 好的，新的工作：分析问卷答案
课程 | 取消课程，改为搭建网店
课程 | 不要再做这个了，帮我找里斯本的公寓
课程 | 换个话题，谈谈招聘
课程 | 把它搁置，准备董事会会议
课程 | 这个不急，先开米勒的发票
课程 | 别弄了，我需要一篇生日致辞
课程 | 有个新需求：做一个关于鲸鱼的测验
课程 | 课程先停一停，我们来做播客
课程 | 把手上的事放下，帮我比较三种手机套餐
"""


def _rows(kind: Interruption, lines: str) -> list[tuple[str, str, Interruption]]:
    pairs = [line.split(" | ", 1) for line in lines.strip().splitlines()]
    return [(task, text, kind) for task, text in pairs]


ROWS = [*_rows("input", _INPUT), *_rows("side_question", _SIDE), *_rows("new_task", _NEW)]
SEEN, HELD = ROWS[::2], ROWS[1::2]
