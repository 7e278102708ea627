export const systemPromptFile = 'system-prompt.txt'
export const systemPromptPath = `/workspace/.codex/${systemPromptFile}`
