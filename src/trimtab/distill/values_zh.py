"""Numbers, dates and identifiers in Chinese."""

from __future__ import annotations

import re
from collections.abc import Iterator

_DIGIT = r"一二两兩三四五六七八九十百千万萬亿億零〇廿卅壹贰叁肆伍陆柒捌玖拾佰仟"
_NUMERAL = rf"(?:[{_DIGIT}]{{1,12}}(?:点[一二三四五六七八九零〇]{{1,6}})?)"
_FIGURE = r"(?:\d{1,3}(?:[,，]\d{3}){1,6}(?:\.\d{1,12})?|\d{1,40}(?:\.\d{1,20}){0,6})"
_EITHER = rf"(?:{_FIGURE}|{_NUMERAL})"
# longest first: a pattern takes the first that fits
_UNITS = (
    "个半小时 个工作日 个自然日 平方公里 个百分点 个小时 个半月 个字符 人民币 比特币 平方米 摄氏度 卡路里 百分点 新台幣  "
    "新臺幣 个月 个字 个人 字符 星期 小时 小時 分钟 分鐘 秒钟 毫秒 刻钟 点血 块钱 毛钱 分钱 万元 亿元 千元 美元 欧元 英镑  "
    "日元 港币 港元 卢比 韩元 公斤 千克 毫克 微克 盎司 厘米 毫米 公里 千米 英寸 英尺 平米 公顷 毫升 汤匙 茶匙 小勺 大勺 人份  "
    "大卡 千卡 回合 像素 字节 赫兹 金币 积分 号字 节课 课时 学期 学分 学时 张票 章节 小节 老人 孩子 大人 小孩 学生 通过 失败 台币  "
    "台幣 个 個 位 条 條 页 頁 张 張 份 件 台 臺 辆 架 艘 次 遍 行 列 字 句 段 章 节 天 日 周 週 年 岁 歲 秒 点 元 块 塊 毛  "
    "角 斤 克 吨 磅 米 寸 尺 亩 升 瓶 杯 勺 罐 盒 包 袋 箱 桶 只 隻 头 匹 双 雙 对 副 套 把 枚 颗 顆 粒 朵 棵 株 根 支 枝 片  "
    "堆 批 组 队 排 层 楼 间 栋 座 家 户 口 人 名 成 倍 折 度 卡 步 集 期 届 轮 局 场 回 趟 顿 餐 种 類 类 样 项 款 门 道 题  "
    "问 首 篇 本 册 部 幅 封 壶 碗 盘 锅 串 滴 圈 格 档 级 班 桌 席 笔 单 票 拍 版 帧 兆 股 晚 夜 针 剂 贴 例 起 宗 开 路 代  "
    "关 波 团 盏 扇 尊 床 挂 打 捆 束 卷 匝 瓣 室 厅 俩 娃 分"
)
_UNIT = "(?:" + "|".join(_UNITS.split()) + ")"
_MEASURE_SIGN = r"(?:%|％|‰|℃|℉|°C|°F|°)"
_LATIN_UNIT = r"(?: ?(?:kg|g|mg|ml|l|L|km|cm|mm|m|GB|MB|KB|TB|ms|s|h|min|kcal|mmol/L|g/L|g/dL|mg/dL|kWh|W|V|A|Hz|px|pt|dpi|fps|k|K|w|W|M|USD|EUR|CNY|RMB|rpm)(?![A-Za-z]))"
# "一" is a number only with a measure, and never in these words
_IDIOMS = re.compile(
    r"一(?:下|些|点儿?|样|直|起|会儿?|边|般|定|切|旦|致|向|再|律|概|并|同|共|路上|心|方面|部分|系列|来|时间|时|面(?!镜|墙|旗)|味(?!药)|种|类|句话说|次性|堆|大堆|大早|"
    r"股脑|番|口气|不小心|言难尽|家人|家子|回事|个劲|把年纪|头雾水|模一样|刀切|手(?!牌))|(?<=[统唯万同专第逐之任另某每哪这那单])一(?!个月|年|天|周|次|条|页|人)|"
    r"十(?:分(?!钟)|足|全)|千万(?=别|不|要|记|得)|万(?:一|能|物|分|万)|千(?:方百计|变万化)|百(?:度|姓|般)|三(?:思|番|角)|两(?:样|旁|边|者)|四(?:处|周|季)|八(?:卦|成(?=是))|七(?:上|嘴)|半(?:天(?!假)|路|途|夜)|"
    r"五(?:花|官)|不三不四|乱七八糟|一五一十|说一不二|一心一意|九(?:牛)|几(?:乎|何)"
)
_NUMBER_FIRST = rf"(?=[\d百近约超几數数好{_DIGIT}俩仨半对减翻¥￥$€£])"
_NUMBER = re.compile(
    rf"{_NUMBER_FIRST}(?:百分之{_EITHER}|{_EITHER}分之{_EITHER}|[¥￥$€£] ?{_FIGURE}(?: ?[万亿千百])?元?"
    rf"|(?<![\w.,-])(?:近|约|超过?)?{_FIGURE} ?[万亿千百多余几来]{{0,3}}(?:(?:到|至|-|~|—|～|－|x|×|\*){_FIGURE} ?[万亿千百]?){{0,2}}(?:{_UNIT}[半多]?(?:{_FIGURE}{_UNIT})?|{_MEASURE_SIGN}|{_LATIN_UNIT}(?:/[A-Za-z]{{1,6}})?)?(?![\w])"
    rf"|(?<!第)[几數数]?{_NUMERAL}(?:[多余几来]?)(?:(?:到|至|-|~|—|～){_NUMERAL})?[多余几来]?{_UNIT}半?"
    rf"|(?:几|好几|数){_NUMERAL}[多余来]?{_UNIT}|[俩仨](?:人|月|娃|孩子|小时|老人|口子?|字|[\u4e00-\u9fff])"
    rf"|(?<![第{_DIGIT}])[一二两兩三四五六七八九十]{{1,4}}[百千万萬亿十][{_DIGIT}]{{0,8}}|半(?:个?小时|年|月|个月|天|斤|只\w|杯|勺|碗|份|价|瓶|页|块|张|包|盒|颗|根)|一半|对半|五五开|减半|翻倍|个把(?:月|小时|星期)|十来\w)",
    re.ASCII,
)
_DAY_PART = r"(?:凌晨|清晨|清早|大清早|早上|早晨|上午|中午|正午|午后|下午|傍晚|晚上|夜里|夜间|半夜|深夜|午夜|今晚|明晚|明早|今早|后晚|昨晚|当晚|早|晚)"
_ZH_SMALL = r"(?:[〇零一二两三四五六七八九十廿卅]{1,4}|\d{1,2})"
_FESTIVAL = r"(?:国庆|国慶|春节|春節|中秋|元旦|五一(?!\d)|清明|端午|圣诞|平安夜|除夕|元宵|七夕|重阳|双十一|双十二|双11|双12|618|暑假|寒假|国庆节|劳动节|儿童节|妇女节|教师节|情人节|感恩节|万圣节|复活节|腊八|小年|冬至|夏至|立春)(?:节|假期|长假|当天|前后)?"
# what a date, a number may begin with: one look before many
_DATE_FIRST = r"(?=[第\d去今明后前次当〇零一二两三四五六七八九十廿卅这本上下每隔个周週星礼禮大昨月年季中翌凌清早晨午正傍晚夜半深春夏秋冬开入国國劳儿妇教情感万圣复腊小立元端平除七重双暑寒农初])"
_DATE = re.compile(
    rf"{_DATE_FIRST}(?:(?:去年|今年|明年|后年|前年|次年|当年)?(?:\d{{4}}|[〇零一二三四五六七八九]{{4}}|\d{{2}}) ?年(?: ?{_ZH_SMALL} ?月(?:份)?(?: ?{_ZH_SMALL} ?[日号號]|底|初|中旬?|上旬|下旬)?|底|初|末|春|夏|秋|冬|度|上半年|下半年)?"
    rf"|(?:去年|今年|明年|后年|前年|次年|当年)(?:{_ZH_SMALL}月(?:份)?(?:{_ZH_SMALL}[日号號])?|底|初|春|夏|秋|冬|下半年|上半年)?"
    rf"|{_ZH_SMALL} ?月(?:份)? ?(?:{_ZH_SMALL} ?(?:[日号號]|(?=[、到至-]))|底|初|中旬|上旬|下旬)?(?:(?:到|至|-|—|～|~){_ZH_SMALL}[日号號月](?:{_ZH_SMALL}[日号號])?)?(?![的个]?[份人]?(?:大|租))"
    rf"|(?<!第)(?<![\d\w]){_ZH_SMALL} ?[号號](?!楼|线|字|院|馆|店|门|机|库|桌|球|房|窗|柜|员|仓|会议|车|床|仿|宋|文件|位|码|电池|坑|选手|种子|公馆)"
    rf"|(?:这|本|上|下|下下|上上|每|隔)?(?:个)?(?:周|週|星期|礼拜|禮拜)(?:[一二三四五六日天末]|[1-7](?!\d))(?:{_DAY_PART})?(?:(?:到|至|、)周?[一二三四五六日天])?"
    rf"|(?:这|本|上|下|下下|上上)(?:个)?(?:周|星期|礼拜|月|季度|学期|年度)(?![一二三四五六日天末])(?:{_ZH_SMALL}[日号號]|底|初|中旬)?"
    rf"|次[日月年周](?:{_ZH_SMALL}[日号號]|初|底)?|当日|隔天|隔日|翌日"
    rf"|月底|月初|月中|月末|年底|年初|年末|年中|周末|季末|季度末|上旬|中旬|下旬|第[一二三四1-4]个?季度|十一(?=放假|长假|假期|期间)|[上下]半年|上半月|下半月"
    rf"|大?(?:后天|前天)|明天|昨天|明日|昨日|今晚|明晚|昨晚|明早|今早|昨夜"
    rf"|{_DAY_PART}?(?:\d{{1,2}}|[零一二两三四五六七八九十]{{1,3}}) ?(?:点钟|点|點|时)(?!钟?[血儿](?!\w)|[的评击赞名子头外里间])(?:半|整|一刻|三刻|{_ZH_SMALL}分?|钟)?(?:{_DAY_PART})?(?:(?:到|至|-|—|~){_ZH_SMALL}[点點时]半?)?"
    rf"|{_DAY_PART}?\d{{1,2}}[:：]\d{{2}}(?:[:：]\d{{2}})?"
    rf"|(?:春|夏|秋|冬)(?:天|季)|(?:开|入)(?:春|秋|冬)|{_FESTIVAL}|(?:正月|腊月|农历)(?:初?[一二三四五六七八九十]{{1,3}})?|初[一二三四五六七八九十](?!\w|步|中|级|期|衷|始)"
    rf"|(?<=[明今昨每当后前])[早晚])",
    re.ASCII,
)
# `5点血` and `提三点意见` speak of points, `这一点` of a matter
_NOT_TIME = re.compile(r"[一二两三四五几]点$")
_POINT_AFTER = re.compile(r"[要意建看不问原需]|[：:]")
# file numbers of courts and offices: （2024）京01民初131号, 京办〔2025〕118号
_FILED = re.compile(r"[（(〔\[]\d{4}[）)〕\]](?P<court>(?!第)[\u4e00-\u9fff]{1,4}\d{0,4}[\u4e00-\u9fff]{0,5})?第?\d{1,6}号", re.ASCII)
_OFFICE = re.compile(r"[\u4e00-\u9fff]{1,10}\Z")
_ORDINAL = re.compile(
    r"(?=[第\da-zA-Z一二三四五六七八九十京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼])(?:"
    r"第[\d一二三四五六七八九十百千零〇.]{1,12}(?:条|款|项|章|节|编|题|页|版|稿|期|号|集|行|列|步|关|回|卷|幕|层|组|批|轮|排|桌)(?:第[\d一二三四五六七八九十]{1,4}[款项])?"
    r"|[A-Za-z]?\d{1,4}号(?:楼|线|院|馆|门|机|库|桌|房|柜|仓|会议室|车厢?|床|坑)|(?<!第)[\d一二三四五六七八九十]{1,4}(?:栋|幢|单元)[\d-]{0,8}室?|[A-Z\d]{1,6}-?\d{1,6}室"
    r"|[京津沪渝冀豫云辽黑湘皖鲁新苏浙赣鄂桂甘晋蒙陕吉闽贵粤青藏川宁琼][A-Z]·?[A-Z0-9]{5,6})",
    re.ASCII,
)
_FILE = re.compile(
    r"(?<![\u4e00-\u9fff])[\u4e00-\u9fff]{1,12}(?:_[\u4e00-\u9fff\w-]{1,40}(?:\.[a-z]{2,5})?|(?:-[\u4e00-\u9fff\w-]{1,40})?\.(?:docx?|xlsx?|pptx?|pdf|txt|csv|md|zip|png|jpe?g|mp4|json|html|wps|psd)(?![A-Za-z0-9]))",
    re.ASCII,
)
_FILE_MARK = re.compile(r"[\u4e00-\u9fff][_.-]")
_NAMED = re.compile(
    r"(?:账号|帳號|账户|帐号|用户名|用户|昵称|微信号?|QQ号?|网名|ID|id|登录名|分支|主机|服务器|机器|节点|数据库|表名|表|库|字段|变量|仓库|频道|群|队列|订单号?|单号|运单号?|工单号?|合同号|"
    r"案号|编号|卡号|房号|车次|航班号?|班次|座位号?|货号|型号|条码|快递单?号?|发票号?|学号|工号|门牌号?|验证码|口令|暗号|密码提示|角色|主角|男主|女主|反派|名字|代号|玩家|姓名)"
    r"(?:名字?|编?号)?(?:(?:是|叫做?|为|:|：|=|改成|改为|就叫|\s)\s?|(?=[A-Za-z][\w./-]*[^A-Za-z\w]|[A-Za-z][\w./-]*$))[“\"「『]?(?P<named>[\u4e00-\u9fffA-Za-z0-9_@#][\w@#./-]{1,40}|[\u4e00-\u9fff]{2,4}\d{0,8})(?=[”\"」』，。；、！？,.\s)）的]|$)"
    r"|\b(?P<branch>main|master|develop|dev|staging|prod|release|trunk)(?= ?(?:分支|环境|库|集群))|(?<=[到进往从推合在])(?: ?)(?P<onto>main|master|develop|staging|prod)\b",
    re.ASCII,
)


def dates(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Calendar dates, weekdays, months, times of day, feasts, relative dates, in text order."""
    for found in _DATE.finditer(text, start, end):
        token = found[0].strip()
        if _NOT_TIME.match(token) and (token[0] == "一" or _POINT_AFTER.match(text, found.end())):
            continue
        at = found.start() + found[0].index(token)
        yield at, at + len(token)


def numbers(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Figures and numerals with what they count, in text order."""
    for found in _NUMBER.finditer(text, start, end):
        token = found[0].strip()
        at = found.start() + found[0].index(token)
        if _is_idle(text, at, token):
            continue
        yield at, at + len(token)


def identifiers(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """File numbers of courts and offices, articles, buildings, files with Chinese names, named accounts."""
    for found in _FILED.finditer(text, start, end):
        office = None if found["court"] else _OFFICE.search(text, max(start, found.start() - 10), found.start())
        yield (office or found).start(), found.end()
    for found in _ORDINAL.finditer(text, start, end):
        yield found.span()
    for found in _FILE.finditer(text, start, end) if _FILE_MARK.search(text, start, end) else ():
        yield found.span()
    for found in _NAMED.finditer(text, start, end):
        yield found.span(found.lastgroup or "named")


def _is_idle(text: str, at: int, token: str) -> bool:
    return bool(_IDIOMS.match(text, at)) or token in ("一个", "一個", "一种")
