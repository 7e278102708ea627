import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KubeObject } from '@agents/kube'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'
import { readScript, type Style } from './fixtures.ts'

interface Judgement {
  readonly kstatus: string
  readonly argo: string
  readonly message: string
}

export interface HealthEvaluator {
  ask(style: Style, object: KubeObject): Promise<Judgement>
  stop(): void
}

/** Runs kstatus, and our Lua scripts as Argo CD would. Undefined where Go is not installed. */
export async function startEvaluator(): Promise<HealthEvaluator | undefined> {
  const program = await ensureGoProgram(join(import.meta.dirname, 'judge'))
  if (program === undefined) return undefined
  const child = spawn(program, { stdio: ['pipe', 'pipe', 'inherit'] })
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]()
  const scripts = {
    ready: await readScript('ready'),
    run: await readScript('run'),
  }
  return {
    ask: async (style, object) => {
      child.stdin.write(`${JSON.stringify({ script: scripts[style], object })}\n`)
      const { value, done } = await answers.next()
      if (done) throw new Error('the judge has left')
      return JSON.parse(value)
    },
    stop: () => child.stdin.end(),
  }
}
