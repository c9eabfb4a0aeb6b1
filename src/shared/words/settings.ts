import type { Words } from "./word.ts";

/** The settings. `x` is what a setting is called, `xHelp` the sentence below it; the search reads both in both languages. */
export const settings = {
  settings: { en: "Settings", "zh-CN": "设置" },
  search: { en: "Search settings", "zh-CN": "搜索设置" },
  none: {
    en: "No setting has these words. Try another one, in English or Chinese.",
    "zh-CN": "没有匹配的设置。请换个词，中英文均可。",
  },
  version: { en: "Lares {{version}}", "zh-CN": "Lares {{version}}" },

  look: { en: "Look", "zh-CN": "外观" },
  answers: { en: "Answers", "zh-CN": "回答" },
  folders: { en: "Folders", "zh-CN": "文件夹" },
  keyboard: { en: "Keyboard", "zh-CN": "键盘" },

  language: { en: "Language", "zh-CN": "语言" },
  languageHelp: { en: "Of the window, not of the answers.", "zh-CN": "窗口的语言，与回答的语言无关。" },
  asSystem: { en: "System", "zh-CN": "跟随系统" },
  english: { en: "English", "zh-CN": "English" },
  chinese: { en: "简体中文", "zh-CN": "简体中文" },
  theme: { en: "Theme", "zh-CN": "主题" },
  themeHelp: { en: "Light, dark, or whatever the system says.", "zh-CN": "浅色、深色，或跟随系统。" },
  light: { en: "Light", "zh-CN": "浅色" },
  dark: { en: "Dark", "zh-CN": "深色" },

  model: { en: "Model", "zh-CN": "模型" },
  modelHelp: {
    en: "What new chats use. A chat keeps the one you choose in it.",
    "zh-CN": "新对话使用的模型。每个对话会记住您为它选择的模型。",
  },
  modelNone: { en: "None yet", "zh-CN": "尚未选择" },
  modelChoose: { en: "Choose a model…", "zh-CN": "选择模型…" },
  temperature: { en: "Temperature", "zh-CN": "温度" },
  temperatureHelp: {
    en: "0 gives the likeliest words every time; higher is more varied.",
    "zh-CN": "0 每次都给出最可能的词；越高越多样。",
  },
  maxOutputTokens: { en: "Longest answer", "zh-CN": "最长回答" },
  maxOutputTokensHelp: {
    en: "In tokens; a token is about three quarters of a word.",
    "zh-CN": "以 token 计；一个 token 约为半个到一个汉字。",
  },
  contextTokens: { en: "Window", "zh-CN": "上下文窗口" },
  contextTokensHelp: {
    en: "How many tokens of a chat the model sees at once. More takes more memory.",
    "zh-CN": "模型一次能看到的 token 数。越大占用内存越多。",
  },
  range: { en: "From {{from}} to {{to}}", "zh-CN": "{{from}} 到 {{to}}" },
  rangeWhole: { en: "A whole number from {{from}} to {{to}}", "zh-CN": "{{from}} 到 {{to}} 之间的整数" },

  continueAfterCrash: { en: "Go on by itself after a crash", "zh-CN": "崩溃后自动继续" },
  continueAfterCrashHelp: {
    en: "An interrupted answer goes on at the next start. One that may have done something still asks you first.",
    "zh-CN": "被中断的回答会在下次启动时继续。可能已产生影响的操作仍会先询问您。",
  },
  engine: { en: "Models of this computer", "zh-CN": "本机模型" },
  gpu: { en: "Graphics card", "zh-CN": "显卡" },
  gpuHelp: {
    en: "Automatic puts as much of a model on it as fits, and falls back to the processor.",
    "zh-CN": "自动：尽可能把模型放到显卡上，放不下时使用处理器。",
  },
  flashAttention: { en: "Flash attention", "zh-CN": "Flash attention" },
  flashAttentionHelp: {
    en: "A way to compute with less memory. Automatic uses it where the model allows.",
    "zh-CN": "一种更省内存的计算方式。自动：模型支持时使用。",
  },
  cacheType: { en: "Memory of a chat", "zh-CN": "对话缓存" },
  cacheTypeHelp: {
    en: "Smaller numbers leave room for a larger window and are a little less exact.",
    "zh-CN": "用较小的数值可容纳更大的窗口，但精确度略低。",
  },
  cacheWhole: { en: "Exact", "zh-CN": "精确" },
  cacheSmall: { en: "Smaller", "zh-CN": "更小" },
  thinking: { en: "Thinking", "zh-CN": "思考" },
  thinkingHelp: {
    en: "Some models think before they answer. Off is faster and says less of how it came to be.",
    "zh-CN": "有些模型会先思考再回答。关闭后更快，但推理过程更少。",
  },
  automatic: { en: "Automatic", "zh-CN": "自动" },
  on: { en: "On", "zh-CN": "开" },
  off: { en: "Off", "zh-CN": "关" },
  yes: { en: "Yes", "zh-CN": "是" },
  no: { en: "No", "zh-CN": "否" },
  leaving: { en: "Leaving this computer", "zh-CN": "外传" },
  localMode: { en: "Local mode", "zh-CN": "本地模式" },
  localModeHelp: {
    en: "Nothing but this computer is connected to, whatever a chat has been allowed. A download or search that you click on goes out.",
    "zh-CN": "无论对话获得何种许可，都只连接这台电脑。您点击的下载或搜索会放行。",
  },
  cloudModels: { en: "Cloud models and keys", "zh-CN": "云端模型与密钥" },
  cloudModelsHelp: {
    en: "Who may answer beyond this computer, and where the keys are kept.",
    "zh-CN": "可在这台电脑之外回答的服务方，以及密钥保存位置。",
  },
  fallbacks: { en: "If a model cannot answer", "zh-CN": "模型无法回答时" },
  fallbacksHelp: {
    en: "These are asked instead, in this order. One in the cloud only in chats that you allowed to go there.",
    "zh-CN": "按此顺序改问这些模型。云端模型仅用于您已允许的对话。",
  },
  fallbackAdd: { en: "Add a model…", "zh-CN": "添加模型…" },
  fallbackSooner: { en: "Ask {{name}} sooner", "zh-CN": "提前询问 {{name}}" },
  fallbackNever: { en: "Do not ask {{name}}", "zh-CN": "不再询问 {{name}}" },
  goals: { en: "Goals", "zh-CN": "目标" },
  goalIterations: { en: "Most steps", "zh-CN": "最多步数" },
  goalIterationsHelp: {
    en: "How many times a goal (/goal) may ask the model before it asks you.",
    "zh-CN": "目标（/goal）在询问您之前最多可以请求模型的次数。",
  },
  goalTokens: { en: "Most tokens", "zh-CN": "最多 token" },
  goalTokensHelp: { en: "Read and written ones together.", "zh-CN": "读取与写出的总和。" },
  goalMinutes: { en: "Most minutes", "zh-CN": "最多分钟" },
  goalMinutesHelp: { en: "Of work, not of waiting for you.", "zh-CN": "只计工作时间，不计等待您的时间。" },

  workspace: { en: "Workspace", "zh-CN": "工作文件夹" },
  workspaceHelp: {
    en: "The one folder the assistant may read, on this computer. It applies to the next message.",
    "zh-CN": "助手可以读取的唯一文件夹，在这台电脑上。从下一条消息起生效。",
  },
  workspaceUse: { en: "Use this folder", "zh-CN": "使用此文件夹" },
  choose: { en: "Choose…", "zh-CN": "选择…" },
  data: { en: "Data", "zh-CN": "数据" },
  dataHelp: {
    en: "Your chats and settings. Copy this folder to keep them.",
    "zh-CN": "您的对话和设置。复制此文件夹即可备份。",
  },
  models: { en: "Models on disk", "zh-CN": "模型文件" },
  modelsHelp: {
    en: "Downloaded models. A .gguf file put here shows up in the list of models.",
    "zh-CN": "已下载的模型。放入此处的 .gguf 文件会出现在模型列表中。",
  },
  health: { en: "Health", "zh-CN": "健康状况" },
  healthHelp: {
    en: "Whether your chats are whole, the last backup, and the room on the disk.",
    "zh-CN": "对话是否完好、最近的备份以及磁盘空间。",
  },
  copyPath: { en: "Copy the path", "zh-CN": "复制路径" },
  copied: { en: "Path copied", "zh-CN": "路径已复制" },
  notCopied: { en: "The browser did not allow copying", "zh-CN": "浏览器不允许复制" },
  show: { en: "Show", "zh-CN": "显示" },

  shortcuts: { en: "Shortcuts", "zh-CN": "快捷键" },
  shortcutsHelp: { en: "Everything here can be done without a mouse.", "zh-CN": "所有操作都可以不用鼠标完成。" },
  shortcutsShow: { en: "Show all shortcuts", "zh-CN": "显示全部快捷键" },
} as const satisfies Words;
