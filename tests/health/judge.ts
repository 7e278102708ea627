import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { KubeObject } from '@agents/kube'
import { ensureGoProgram } from '../testbed/go-program.ts'
import { readScript, type Style } from './fixtures.ts'

export interface Judgement {
  readonly kstatus: string
  readonly argo: string
  readonly message: string
}

export interface Judge {
  ask(style: Style, object: KubeObject): Promise<Judgement>
  stop(): void
}

/** kstatus itself, and our Lua as Argo CD would run it. Undefined where there is no Go. */
export async function startJudge(): Promise<Judge | undefined> {
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
