export const SYSTEM_PROMPT_FILE = 'system-prompt.txt'
export const SYSTEM_PROMPT_PATH = `/workspace/.codex/${SYSTEM_PROMPT_FILE}`
