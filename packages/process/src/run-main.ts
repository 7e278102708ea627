import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { stopSignals } from '@agents/controller'
import { systemEffects } from '@agents/kube'
import type { ProcessEffects } from './process-effects.ts'

/** Runs a service as a Node process, with its environment, output, signals and exit code. */
export async function runMain(
  process: NodeJS.Process,
  run: (effects: ProcessEffects) => Promise<number>,
): Promise<void> {
  const { signal, dispose } = stopSignals(process, (code) => process.exit(code))
  process.exitCode = await run({
    ...systemEffects(process.env),
    output: process.stdout,
    errors: process.stderr,
    identity: `${hostname()}_${randomUUID()}`,
    stop: signal,
  })
  dispose()
}
