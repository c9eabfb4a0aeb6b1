import type { Words } from "./word.ts";

/** The list of chats and the search in them. */
export const chats = {
  chats: { en: "Chats", "zh-CN": "对话" },
  new: { en: "New chat", "zh-CN": "新对话" },
  newMore: { en: "More ways to begin", "zh-CN": "更多新建方式" },
  newPrivate: { en: "New private chat", "zh-CN": "新私密对话" },
  newPrivateHelp: { en: "Kept in memory, gone when Lares ends", "zh-CN": "仅存于内存，Lares 结束即消失" },
  untitled: { en: "New chat", "zh-CN": "新对话" },
  reading: { en: "Reading your chats…", "zh-CN": "正在读取对话…" },
  unread: { en: "Your chats could not be read", "zh-CN": "无法读取对话" },
  none: { en: "No chats yet", "zh-CN": "还没有对话" },
  noneNext: {
    en: "What you ask is kept here, on this computer only.",
    "zh-CN": "您的提问会保存在这里，仅在这台电脑上。",
  },

  private: { en: "Private · gone when Lares ends", "zh-CN": "私密 · Lares 结束即消失" },
  pinned: { en: "Pinned", "zh-CN": "已置顶" },
  today: { en: "Today", "zh-CN": "今天" },
  yesterday: { en: "Yesterday", "zh-CN": "昨天" },
  week: { en: "Last 7 days", "zh-CN": "最近 7 天" },
  thirtyDays: { en: "Last 30 days", "zh-CN": "最近 30 天" },

  isPrivate: { en: "private", "zh-CN": "私密" },
  running: { en: "answering", "zh-CN": "回答中" },
  interrupted: { en: "interrupted", "zh-CN": "已中断" },
  failed: { en: "failed", "zh-CN": "失败" },

  more: { en: "More for “{{title}}”", "zh-CN": "“{{title}}”的更多操作" },
  rename: { en: "Rename", "zh-CN": "重命名" },
  title: { en: "Title of the chat", "zh-CN": "对话标题" },
  pin: { en: "Pin", "zh-CN": "置顶" },
  unpin: { en: "Unpin", "zh-CN": "取消置顶" },
  delete: { en: "Delete", "zh-CN": "删除" },
  deleted: { en: "Chat deleted", "zh-CN": "对话已删除" },
  undo: { en: "Undo", "zh-CN": "撤销" },

  search: { en: "Search everything", "zh-CN": "搜索全部内容" },
  searchClear: { en: "Leave the search", "zh-CN": "退出搜索" },
  searching: { en: "Searching…", "zh-CN": "搜索中…" },
  found_one: { en: "{{count}} place", "zh-CN": "{{count}} 处" },
  found_other: { en: "{{count}} places", "zh-CN": "{{count}} 处" },
  foundMany: {
    en: "The first {{count}} places. More words find fewer.",
    "zh-CN": "前 {{count}} 处。输入更多词可缩小范围。",
  },
  foundNone: { en: "Nothing found", "zh-CN": "未找到" },
  foundNoneNext: {
    en: "Every word you type has to be in the message. Part of a word is enough, and so is one Chinese character.",
    "zh-CN": "消息须包含您输入的每个词。只输入词的一部分或一个汉字也可以。",
  },
  titles: { en: "Titles", "zh-CN": "标题" },
  messages: { en: "Messages", "zh-CN": "消息" },
  you: { en: "You", "zh-CN": "您" },
} as const satisfies Words;
