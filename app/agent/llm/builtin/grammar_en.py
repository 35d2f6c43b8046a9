"""The English requests. Documented in docs/built-in-assistant.md; a form added here belongs there too."""

from __future__ import annotations

from app.agent.llm.builtin.grammar import Grammar, compiled, reference_patterns, rule
from app.agent.llm.builtin.text import TOKEN

_BELOW = r"(?:below|under|underneath|beneath|inside|into|in|within|to)"
_ON = r"(?:to|on|onto|into|in|at the end of|for)"
_FIELD = r"(?P<field>title|name|sub ?title|description|keywords?|navigation title|menu title)"
_TEXT = r"(?:the |a |this |these )?(?:new )?(?:text|paragraph|sentence|words|content|content element|note)"
_ARTICLE = r"the|a|an|my|our|this|that"
_NOUN = r"(?:sub)?pages?|content elements?|elements?|content blocks?|blocks?|files?"
_REFERENCE, _BARE = reference_patterns(article=_ARTICLE, noun=_NOUN, called=r"called|named|titled|with the title")
_VERBS = (
    r"copy|duplicate|translate|rename|retitle|describe|hide|unhide|publish|reveal|show|delete|remove|erase|create|add"
    r"|insert|append|put|write|make|set|change|update|replace|give|find|search|look|list|open|display|take|bring|unpublish"
    r"|move|upload|restore|undo|undelete|recover|redirect|attach"
)
_PAGE_WORDS = (
    r"(?:a |an |the )?(?:(?:new|empty|hidden|draft) )*(?:sub)?page(?: (?:called|named|titled|with the title))?"
)
_MADE = r"(?:create|add|make|set up|start|insert)"

ENGLISH = Grammar(
    language="en",
    rules=(
        rule("help", r"(?:help(?: me)?|what can (?:you|i) (?:do|ask|say)(?: (?:here|for me|you))?|how does this work)"),
        rule("help", r"(?:who|what) are you(?: exactly)?|are you (?:a |an )?(?:human|person|robot|bot|machine|ai|real)\b.*"),
        rule("help", r"what do you understand|what can'?t you do|what can you not do|how can you help(?: me)?"),
        rule("greet", r"(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings)(?: there)?"),
        rule("thanks", r"(?:many )?(?:thanks|thank you)(?: (?:very much|a lot|so much))?|great|perfect|ok|okay"),
        rule("languages", r"(?:(?:list|show|name)(?: me)?|what are|which are|what|which) ?(?:the |your |our )?(?:site'?s? )?"
                          r"languages(?: (?:are there|do we have|does the site have|exist|of the site))?"),
        rule("tree", r"(?:show|list|display)(?: me)? (?:the )?(?:page tree|tree|site structure|structure|site map|pages)"),
        rule("tree", r"(?:what|which) pages (?:are there|exist|do we have)(?: (?:below|under|beneath) <subject>)?"),
        rule("tree", r"(?:show|list|display)(?: me)? (?:the )?(?:(?:sub-?pages|child pages) (?:of|below|under)"
                     r"|pages (?:below|under|beneath|of)) <subject>"),
        rule("undelete", r"(?:restore|undelete|recover) (?:the deleted )?<subject>|bring (?:the deleted )?<subject2> back"),
        rule("unhide", r"(?:unhide|publish|reveal|re-?activate) <subject>|show <subject2> again"
                       r"|make <subject3> (?:visible|public)(?: again)?|(?:bring|put|take) <subject4> (?:back )?online"),
        rule("hide", r"(?:hide|unpublish|deactivate) <subject>|take <subject2> offline"
                     r"|make <subject3> (?:invisible|hidden)"),
        rule("find", r"(?:find|search(?: for)?|look for|look up|locate|where is)(?: me)? "
                     r"(?:(?:(?:the|a|some) )?pages? )?(?:(?:about|containing|named|called|titled|with) )?<query>"),
        rule("show", r"(?:show|open|display|read|view)(?: me)? <subject>"),
        rule("show", r"(?:what is|what's|what are the elements|what stands) (?:on|in) <subject>"
                     r"|what does <subject2> (?:contain|say)|tell me about <subject3>"),
        rule("copy", rf"(?:copy|duplicate|make a copy of|create a copy of) <subject>(?: {_BELOW} <target>)?"),
        rule("move", r"move <subject> (?:right |directly )?(?:after|behind) <target>", "after"),
        rule("move", rf"move <subject> {_BELOW} <target>"),
        rule("redirect", r"(?:permanently |temporarily )?redirect (?:the )?(?:address |path )?<address> to <target>"
                         r"(?: permanently| temporarily| for a while| for good)?"),
        rule("redirect", rf"{_MADE} (?:a |an )?(?:permanent |temporary )?redirect from (?:the )?(?:address |path )?<address>"
                         r" to <target>"),
        rule("alternative", r"(?:set|change|update) the (?:(?P<lang>[^\W\d_]+) )?(?:alternative|alt) text (?:of|for|on)"
                            r" <subject> to <text>", "", "files"),
        rule("alternative", r"give <subject> the (?:(?P<lang>[^\W\d_]+) )?(?:alternative|alt) text <text>", "", "files"),
        rule("attach", r"attach <subject> to <target>", "", "files"),
        rule("translate", r"translate <subject>(?: (?:into|to|in) (?:the )?(?P<lang>[^\W\d_][\w-]*)(?: language)?)?"),
        rule("translate", r"translate (?:into|to) (?P<lang>[^\W\d_][\w-]*) <subject>"),
        rule("translate", r"(?:create|add|make) (?:a|an|the) (?P<lang>[^\W\d_]+) translation (?:of|for) <subject>"),
        rule("translate", r"(?:create|add|make) (?:a|the) translation (?:of|for) <subject>"
                          r"(?: (?:into|to|in) (?P<lang>[^\W\d_]+))?"),
        rule("element", r"(?:rename|retitle) <subject> (?:to|into|as) <text>", "header", "content_elements"),
        rule("metadata", r"(?:rename|retitle) <subject> (?:to|into|as) <text>", "title"),
        rule("element", r"(?:set|change|update) the (?:heading|header|title) (?:of|for|on) <subject> (?:to|as) <text>",
             "header", "content_elements"),
        rule("element", r"(?:set|change|update|replace) the (?:text|body|content) (?:of|for|in|on) <subject>"
                        r" (?:to|with|by) <text>", "body", "content_elements"),
        rule("metadata", rf"(?:set|change|update) the {_FIELD} (?:of|for|on) <subject> (?:to|as) <text>"),
        rule("metadata", rf"give <subject> the {_FIELD} <text>|add the (?P<field2>description|sub ?title|keywords) <text2>"
                         rf" {_ON} <subject2>"),
        rule("metadata", r"describe <subject>(?: (?:as|with|by) <text>)?", "description"),
        rule("metadata", r"(?:write|add|create|make) (?:a |the )?(?P<field>description) (?:for|of|to) <subject>"),
        rule("create_page", rf"{_MADE} {_PAGE_WORDS} <title> (?:below|under|underneath|beneath|inside|in|on) <target>"),
        rule("create_page", rf"{_MADE} (?:below|under|underneath|beneath) <target> {_PAGE_WORDS} <title>"),
        rule("create_page", rf"{_MADE} {_PAGE_WORDS}(?: <title>)?"),
        rule("add_text", rf"(?:add|insert|append|put|write) {_TEXT} <text> {_ON} <subject>"),
        rule("add_text", rf"(?:add|insert|append|put|write) {_ON} <subject> {_TEXT} <text>"),
        rule("add_text", rf"(?:add|insert|append|put|write) <text> {_ON} <subject>"),
        rule("delete", r"(?:delete|remove|erase|get rid of) <subject>"),
        rule("unsupported", r"(?:move|upload|restore|undelete|recover|undo|revert|publish the workspace|send|e-?mail|attach"
                            r"|redirect)\b.*"),
    ),
    lead=compiled(
        r"\s*(?:please|kindly|now|also|then|first|next|finally|and|but|so|ok|okay|hi|hello|hey|yes|well|afterwards"
        r"|(?:can|could|would|will) you|i (?:want|would like|'d like|need) (?:you )?to|i'd like (?:you )?to|let'?s|you should"
        r"|go ahead and)(?=[\s,]|$)[\s,]*"
    ),
    trail=compiled(r"[\s,]*(?:\bplease|\bfor me|\bnow|\bthanks|\bthank you|\btoo|\bas well|[.!?:;,])\s*$"),
    connector=compiled(r"\s*[,;]\s*(?:(?:and then|and|then|but|or|afterwards)\s+)?|\s+(?:and then|and|then|but|or)\s+"),
    starts=compiled(
        rf"(?:(?:please|now|also|then|finally|afterwards|to|you should|can you|could you)\s+)*"
        rf"(?:(?:{_VERBS})\b|do not\b|don[’']t\b|never\b|not\b|what\b|which\b)"
    ),
    ends=compiled(r"(?!)"),
    negation=compiled(r"\b(?:not|don[’']?t|never|no longer|cannot|can[’']?t|won[’']?t|without|except|instead of|unless)\b"),
    question=compiled(
        r"(?:why|when|who|whose|did|do|does|has|have|had|is|are|was|were|should|shall|must|may|if|how|where|what|which)\b"
    ),
    bare_verbs=(
        ("copy", compiled(r"copy|duplicate")),
        ("translate", compiled(r"translate")),
        ("hide", compiled(r"hide")),
        ("unhide", compiled(r"unhide|publish")),
        ("delete", compiled(r"delete|remove")),
        ("show", compiled(r"show|open")),
    ),
    with_subpages=compiled(
        r"\s*,?\s+(?:together )?(?:with|including|incl\.?|and)(?: (?:its|the|their|any|all|every|of))*"
        r" (?:sub-?pages?|child pages|children|pages below(?: it)?)\b"
    ),
    without_subpages=compiled(
        r"\s*,?\s+(?:without|excluding|but not|not)(?: (?:its|the|their|any))* (?:sub-?pages?|child pages|children)\b"
    ),
    heading=compiled(rf"\s+(?:with|under)(?: the| a)? (?:heading|header|headline|title) {TOKEN % 'heading'}(?: and)?"),
    pointers={
        "last": compiled(r"it|this|that|this (?:one|page)|that (?:one|page)|the (?:same )?page|the same"),
        "new": compiled(r"the (?:new )?copy|the copied page|the new (?:page|one)|the copied one"),
        "old": compiled(r"the (?:old|older|previous|outdated) (?:one|page|version)|the original(?: page| one)?"),
    },
    reference=_REFERENCE,
    bare_reference=_BARE,
    element_noun=compiled(r"(?:content )?(?:element|block)s?"),
    file_noun=compiled(r"files?"),
    temporary=compiled(r"\b(?:temporar(?:y|ily)|for a while)\b"),
    fields={
        "title": "title", "name": "title", "subtitle": "subtitle", "sub title": "subtitle", "description": "description",
        "keyword": "keywords", "keywords": "keywords", "navigation title": "nav_title", "menu title": "nav_title",
    },
)  # fmt: skip
