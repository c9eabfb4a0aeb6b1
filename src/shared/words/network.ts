import type { Words } from "./word.ts";

/** What left this computer: the badge of an answer, the ledger, and the switch that shuts the door. */
export const network = {
  title: { en: "Network", "zh-CN": "网络" },
  about: {
    en: "Every connection Lares made or refused, written down before its first byte.",
    "zh-CN": "Lares 建立或拒绝的每个连接，都在第一个字节之前记录。",
  },

  localMode: { en: "Local mode", "zh-CN": "本地模式" },
  localModeOn: {
    en: "On: nothing is connected to but this computer. A download or a search that you start goes out, each time by your click.",
    "zh-CN": "已开启：只连接这台电脑。您点击开始的下载或搜索会单次放行。",
  },
  localModeOff: {
    en: "Off: a chat goes out where you allowed it, and nowhere else.",
    "zh-CN": "已关闭：对话只会发送到您允许的地方。",
  },
  lightOn: { en: "Local mode · nothing leaves", "zh-CN": "本地模式 · 数据不外传" },
  lightOff: { en: "Online · as you allow", "zh-CN": "在线 · 按您的许可" },
  lightShow: { en: "Show what left this computer", "zh-CN": "查看外传记录" },

  whose: { en: "Connections of", "zh-CN": "连接范围" },
  ofChat: { en: "This chat", "zh-CN": "本对话" },
  ofAll: { en: "Everything", "zh-CN": "全部" },
  notPrivate: {
    en: "Private chats are written down in memory only: look at them from the chat itself.",
    "zh-CN": "私密对话只记录在内存中：请在该对话内查看。",
  },
  total_one: { en: "{{count, number}} connection", "zh-CN": "{{count, number}} 个连接" },
  total_other: { en: "{{count, number}} connections", "zh-CN": "{{count, number}} 个连接" },
  totalBytes: { en: "{{out}} out, {{in}} in", "zh-CN": "发出 {{out}}，收到 {{in}}" },
  totalRefused: { en: "{{count, number}} refused", "zh-CN": "拒绝 {{count, number}} 个" },
  byHost: { en: "By host", "zh-CN": "按主机" },
  rows: { en: "Connections", "zh-CN": "连接" },
  nothingYet: {
    en: "Nothing has left. When something does, its line stands here: to whom, for what, how many bytes.",
    "zh-CN": "尚无内容外传。一旦有，这里会列出：发给谁、为什么、多少字节。",
  },
  reading: { en: "Reading…", "zh-CN": "正在读取…" },
  earlier: { en: "Show earlier ones", "zh-CN": "显示更早的" },
  tryAgain: { en: "Try again", "zh-CN": "重试" },

  forAnswer: { en: "an answer", "zh-CN": "回答" },
  forModels: { en: "list of models", "zh-CN": "模型列表" },
  forKeyTest: { en: "test of a key", "zh-CN": "测试密钥" },
  forDownload: { en: "download of a model", "zh-CN": "下载模型" },
  forSearch: { en: "search for models", "zh-CN": "搜索模型" },
  forPackages: { en: "list of packages", "zh-CN": "软件包索引" },

  onComputer: { en: "this computer", "zh-CN": "这台电脑" },
  onNetwork: { en: "your network", "zh-CN": "您的局域网" },
  inCloud: { en: "the cloud", "zh-CN": "云端" },

  open: { en: "under way, or cut off", "zh-CN": "进行中或被中断" },
  done: { en: "done", "zh-CN": "完成" },
  failed: { en: "failed", "zh-CN": "失败" },
  refused: { en: "refused", "zh-CN": "已拒绝" },
  bytes: { en: "{{out}} out · {{in}} in", "zh-CN": "发出 {{out}} · 收到 {{in}}" },
  status: { en: "status {{status}}", "zh-CN": "状态 {{status}}" },
  toAnswer: { en: "Show what was sent", "zh-CN": "查看发送内容" },

  stayed: { en: "stayed on this computer", "zh-CN": "未离开这台电脑" },
  sentTo: { en: "sent to {{who}}: {{what}}", "zh-CN": "已发送到 {{who}}：{{what}}" },
  sentNear: { en: "sent to {{who}} on your network: {{what}}", "zh-CN": "已发送到局域网内的 {{who}}：{{what}}" },
  answeredHere: { en: "answered by {{host}} on this computer", "zh-CN": "由这台电脑上的 {{host}} 回答" },
  whoAt: { en: "{{name}} ({{host}})", "zh-CN": "{{name}}（{{host}}）" },
  messages_one: { en: "{{count, number}} message", "zh-CN": "{{count, number}} 条消息" },
  messages_other: { en: "{{count, number}} messages", "zh-CN": "{{count, number}} 条消息" },
  documents_one: { en: "{{count, number}} document", "zh-CN": "{{count, number}} 个文件" },
  documents_other: { en: "{{count, number}} documents", "zh-CN": "{{count, number}} 个文件" },
  images_one: { en: "{{count, number}} image", "zh-CN": "{{count, number}} 张图片" },
  images_other: { en: "{{count, number}} images", "zh-CN": "{{count, number}} 张图片" },

  bodyTo: { en: "To {{host}}, {{place}}.", "zh-CN": "发往 {{host}}（{{place}}）。" },
  bodyAgrees_one: {
    en: "The body has {{count, number}} byte, and so says the ledger.",
    "zh-CN": "正文共 {{count, number}} 字节，与记录一致。",
  },
  bodyAgrees_other: {
    en: "The body has {{count, number}} bytes, and so says the ledger.",
    "zh-CN": "正文共 {{count, number}} 字节，与记录一致。",
  },
  bodyDiffers: {
    en: "The body has {{bytes, number}} bytes; the ledger counted {{counted, number}} that left.",
    "zh-CN": "正文共 {{bytes, number}} 字节；记录显示发出 {{counted, number}} 字节。",
  },
} as const satisfies Words;
