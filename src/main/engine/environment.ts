/** What the child needs of the outside: where things are, words of the locale, and the switches of graphics drivers. */
const names = new Set(
  `PATH HOME USERPROFILE APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES SYSTEMROOT SYSTEMDRIVE WINDIR TEMP TMP TMPDIR
  LANG LC_ALL LC_CTYPE TZ LD_LIBRARY_PATH XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS
  NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE`.split(/\s+/),
);
const prefixes = ["GGML_", "CUDA_", "NVIDIA_", "VK_", "HIP_", "HSA_", "ROCR_", "MESA_"];

/**
 * The environment of the engine child: no secret of the shell, no option of Node reaches it.
 * One thread in libuv's pool makes decoding twice as fast (local-models.md §10.2).
 */
export function engineEnvironment(from: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(from).filter(([name]) => isNeeded(name.toUpperCase()));
  return { ...Object.fromEntries(kept), UV_THREADPOOL_SIZE: "1" };
}

function isNeeded(name: string): boolean {
  return names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}
