import type { Words } from "./word.ts";

/** What stands around everything else. */
export const app = {
  name: { en: "Lares", "zh-CN": "Lares" },
  reconnecting: {
    en: "The connection to Lares is lost. Trying again…",
    "zh-CN": "与 Lares 的连接已断开，正在重试…",
  },
  sessionOver: {
    en: "This page belongs to a Lares that has ended or is open elsewhere.",
    "zh-CN": "此页面属于已结束的 Lares，或已在别处打开。",
  },
  sessionOverNext: {
    en: "Start Lares again, or press Enter in its terminal, and open the address it prints.",
    "zh-CN": "请重新启动 Lares，或在其终端按回车键，然后打开它显示的地址。",
  },
} as const satisfies Words;
