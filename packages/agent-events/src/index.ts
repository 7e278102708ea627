export type { AgentEvent, PlanStep, Usage } from './events/agent-event.ts'
export { readAgentEvents } from './events/read-agent-events.ts'
export { createMarkdownTranscript } from './markdown/markdown-transcript.ts'
export { controlCharacters, visible } from './text/visible.ts'
