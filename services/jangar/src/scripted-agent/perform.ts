import { writeFile } from 'node:fs/promises'
import type { DemoRepository } from './demo-repository.ts'
import type { Script } from './script.ts'

/** The task, as far as the scripted agent understands it. */
export interface Task {
  readonly runName: string
  readonly summary: string
  readonly text: string
}

export interface Stage {
  readonly task: Task
  readonly repository: () => Promise<DemoRepository>
  readonly reportPath: string | undefined
  /** Waited for, so that much output does not pile up in memory. */
  say(text: string): Promise<void>
  sleep(ms: number): Promise<void>
  /** Settles never. */
  forever(): Promise<never>
}

/** Plays the script to its end. Returns the exit code. */
export async function perform(script: Script, stage: Stage): Promise<number> {
  const { task, say } = stage
  const pause = () => (script.mode === 'slow' ? stage.sleep(script.delayMs) : Promise.resolve())
  await say(`reading the task: ${task.summary}\n`)
  await pause()
  switch (script.mode) {
    case 'hang':
    case 'stubborn':
      await say('thinking, and thinking\n')
      return stage.forever()
    case 'fail':
      await say('this does not work out\n')
      await report(stage, { usage: usageFor(task), summary: 'It did not work out.' })
      return script.exitCode
    case 'big-output':
      await sayMuch(script.outputBytes, say)
      break
    case 'no-change':
      await say('nothing is to be changed\n')
      await report(stage, { usage: usageFor(task), summary: 'There was nothing to change.' })
      return 0
    case 'succeed':
    case 'slow':
      break
  }
  await say(`plan: note it in ${script.file}, then commit\n`)
  await pause()
  const repository = await stage.repository()
  const commit = await repository.commitLine({
    file: script.file,
    line: `- ${task.runName}: ${task.summary}`,
    subject: task.summary,
  })
  await say(`edited ${script.file}\ncommitted ${commit}\n`)
  await pause()
  await report(stage, {
    usage: usageFor(task),
    summary: `Noted the task in ${script.file}.`,
    outputs: { commit, file: script.file },
  })
  await say('done\n')
  return 0
}

const LINE = `${'the quick brown fox jumps over the lazy dog '.repeat(2).trim()}\n`
const LINES_AT_ONCE = 500

async function sayMuch(bytes: number, say: Stage['say']): Promise<void> {
  const block = LINE.repeat(LINES_AT_ONCE)
  for (let left = bytes; left > 0; left -= block.length) {
    await say(left >= block.length ? block : `${block.slice(0, Math.max(0, left - 1))}\n`)
  }
}

/** Made up, but always the same for the same task. */
function usageFor({ text }: Task) {
  return { inputTokens: 100 + Math.ceil(text.length / 4), outputTokens: 64, dollars: '0' }
}

async function report({ reportPath }: Stage, content: object): Promise<void> {
  if (reportPath !== undefined) await writeFile(reportPath, `${JSON.stringify(content)}\n`)
}
