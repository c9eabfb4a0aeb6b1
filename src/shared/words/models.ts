import type { Words } from "./word.ts";

/** Getting a model and choosing one. */
export const models = {
  firstTitle: { en: "Your assistant, on your computer.", "zh-CN": "您的助手，就在您的电脑上。" },
  firstAbout: {
    en: "Pick how it should think. You can change this at any time, chat by chat.",
    "zh-CN": "选择它用哪个模型思考。以后可随时更改，每个对话可以不同。",
  },
  promise: {
    en: "Nothing is sent anywhere until you say so. Downloads are checked before they are used.",
    "zh-CN": "未经您同意，不会向任何地方发送内容。下载的文件经校验后才会使用。",
  },
  skip: { en: "Look around first", "zh-CN": "先随便看看" },
  reading: { en: "Looking at this computer…", "zh-CN": "正在查看此电脑…" },
  tryAgain: { en: "Try again", "zh-CN": "重试" },

  title: { en: "Models", "zh-CN": "模型" },
  about: {
    en: "They run on this computer. The one in use answers in every chat that has none of its own.",
    "zh-CN": "它们在这台电脑上运行。未单独指定模型的对话都使用当前模型。",
  },
  none: {
    en: "No models are listed for this computer. Use a file you have.",
    "zh-CN": "没有列出适合此电脑的模型。请使用您已有的文件。",
  },

  fitsWell: { en: "fits well", "zh-CN": "运行流畅" },
  fitsTightly: { en: "fits tightly", "zh-CN": "勉强能运行" },
  tooBig: { en: "too big", "zh-CN": "太大" },
  suggested: { en: "suggested to start", "zh-CN": "推荐入门" },
  inUse: { en: "in use", "zh-CN": "使用中" },
  size: { en: "{{size}} on disk", "zh-CN": "磁盘占用 {{size}}" },
  memory: { en: "{{needed}} of {{memory}} memory", "zh-CN": "内存 {{needed}} / {{memory}}" },
  needsMore: {
    en: "Needs {{needed}}, this computer has {{memory}}.",
    "zh-CN": "需要 {{needed}}，此电脑有 {{memory}}。",
  },

  get: { en: "Get it", "zh-CN": "获取" },
  pause: { en: "Pause", "zh-CN": "暂停" },
  resume: { en: "Resume", "zh-CN": "继续" },
  use: { en: "Use it", "zh-CN": "使用" },
  /** What a button does, and with which model: its name for those who do not see the tile. */
  named: { en: "{{action}}: {{name}}", "zh-CN": "{{action}}：{{name}}" },
  downloadOf: { en: "Download of {{name}}", "zh-CN": "{{name}} 的下载" },
  bytes: { en: "{{done}} of {{total}}", "zh-CN": "{{done}} / {{total}}" },
  speed: { en: "{{size}}/s", "zh-CN": "{{size}}/秒" },
  paused: { en: "paused", "zh-CN": "已暂停" },
  checking: { en: "Checking what came…", "zh-CN": "正在校验…" },
  secondsLeft: { en: "{{seconds}} s", "zh-CN": "{{seconds}} 秒" },
  minutesLeft: { en: "{{minutes}} min {{seconds}} s", "zh-CN": "{{minutes}} 分 {{seconds}} 秒" },
  hoursLeft: { en: "{{hours}} h {{minutes}} min", "zh-CN": "{{hours}} 小时 {{minutes}} 分" },

  useFile: { en: "Use a file I have", "zh-CN": "使用已有文件" },
  path: { en: "The path of a .gguf file on this computer", "zh-CN": "此电脑上 .gguf 文件的路径" },
  pathExample: { en: "/home/me/models/model.gguf", "zh-CN": "/home/me/models/model.gguf" },
  usePath: { en: "Use this file", "zh-CN": "使用此文件" },
  usingPath: { en: "Looking at it…", "zh-CN": "正在检查…" },
  cancel: { en: "Cancel", "zh-CN": "取消" },

  pick: { en: "Model of this chat:", "zh-CN": "本对话的模型：" },
  local: { en: "Local", "zh-CN": "本地" },
  byDefault: { en: "Default: {{name}}", "zh-CN": "默认：{{name}}" },
  more: { en: "More models…", "zh-CN": "更多模型…" },
  noneYet: { en: "No model yet", "zh-CN": "还没有模型" },
  fetching: { en: "Fetching {{percent}}", "zh-CN": "正在下载 {{percent}}" },
  loading: { en: "Loading {{percent}}", "zh-CN": "正在加载 {{percent}}" },
} as const satisfies Words;
