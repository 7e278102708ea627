import type { Script } from './model-server.ts'
import type { Message, ReplyUsage } from './reply.ts'

/** Part of what is written. A request that has it contains the earlier reply, so the file is there. */
const line = 'Written by the demo model.'
const command = `echo '${line}' > DEMO.md`
const usage: ReplyUsage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 50 }

/** A model that adds the file DEMO.md, whatever it is asked, with the tool that the CLI of the API offers. */
export const demoScript: Script = ({ api, body, text }) => {
  if (text.includes(line)) return { text: 'Added DEMO.md.', usage }
  return { ...firstReply(api, Array.isArray(body.tools) && body.tools.length > 0), usage }
}

function firstReply(
  api: Parameters<Script>[0]['api'],
  hasTools: boolean,
): Pick<Message, 'text' | 'calls'> {
  // The model of Codex writes JavaScript that calls tools.
  if (api === 'responses') {
    const input = `text((await tools.exec_command({cmd:${JSON.stringify(command)}})).output)`
    return { calls: [{ name: 'exec', input }] }
  }
  if (api === 'chat-completions' && !hasTools) {
    return { text: `DEMO.md\n\`\`\`\n${line}\n\`\`\`\n` }
  }
  // Requests without tools are about a title.
  if (!hasTools) return { text: 'A demo' }
  const name = shellTools[api]
  return { calls: [{ name, arguments: { command, description: 'Add DEMO.md' } }] }
}

const shellTools = {
  'chat-completions': 'bash',
  messages: 'Bash',
  gemini: 'run_shell_command',
} as const
