import { writeFile } from 'node:fs/promises'
import type { DemoRepository } from './demo-repository.ts'
import type { Script } from './script.ts'

/** The task, as far as the scripted agent understands it. */
interface Task {
  readonly runName: string
  readonly summary: string
  readonly text: string
}

interface Stage {
  readonly task: Task
  readonly repository: () => Promise<DemoRepository>
  readonly reportPath: string | undefined
  /** Waited for, so that much output does not pile up in memory. */
  print(text: string): Promise<void>
  sleep(ms: number): Promise<void>
  /** Settles never. */
  forever(): Promise<never>
}

/** Plays the script to its end. Returns the exit code. */
export async function perform(script: Script, stage: Stage): Promise<number> {
  const { task, print } = stage
  const pause = () => (script.mode === 'slow' ? stage.sleep(script.delayMs) : Promise.resolve())
  await print(`reading the task: ${task.summary}\n`)
  await pause()
  switch (script.mode) {
    case 'hang':
    case 'stubborn':
      await print('thinking, and thinking\n')
      return stage.forever()
    case 'fail':
      await print('cannot complete the task\n')
      await report(stage, { usage: usageFor(task), summary: 'The task failed.' })
      return script.exitCode
    case 'big-output':
      await printLargeOutput(script.outputBytes, print)
      break
    case 'no-change':
      await print('no change is needed\n')
      await report(stage, {
        usage: usageFor(task),
        summary: 'No change was needed.',
        outputs: script.outputs,
      })
      return 0
    case 'succeed':
    case 'slow':
      break
  }
  await print(`plan: note it in ${script.file}, then commit\n`)
  await pause()
  const repository = await stage.repository()
  const commit = await repository.commitLine({
    file: script.file,
    line: `- ${task.runName}: ${task.summary}`,
    subject: task.summary,
  })
  await print(`edited ${script.file}\ncommitted ${commit}\n`)
  await pause()
  await report(stage, {
    usage: usageFor(task),
    summary: `Noted the task in ${script.file}.`,
    outputs: { ...script.outputs, commit, file: script.file },
  })
  await print('done\n')
  return 0
}

const outputLine = `${'the quick brown fox jumps over the lazy dog '.repeat(2).trim()}\n`
const linesAtOnce = 500

async function printLargeOutput(bytes: number, print: Stage['print']): Promise<void> {
  const block = outputLine.repeat(linesAtOnce)
  for (let left = bytes; left > 0; left -= block.length) {
    await print(left >= block.length ? block : `${block.slice(0, Math.max(0, left - 1))}\n`)
  }
}

/** Made up, but always the same for the same task. */
function usageFor({ text }: Task) {
  return { inputTokens: 100 + Math.ceil(text.length / 4), outputTokens: 64, dollars: '0' }
}

async function report({ reportPath }: Stage, content: object): Promise<void> {
  if (reportPath !== undefined) await writeFile(reportPath, `${JSON.stringify(content)}\n`)
}
