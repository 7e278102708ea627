import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'

/**
 * `npm run test:rounds -- --rounds 10 --busy 5` runs the whole gate again and again, the last rounds beside a program
 * that keeps all cores busy, and prints what failed in which round: a test that fails now and then is found here. With
 * `-- ARGUMENTS` other tests run, such as `-- --long conformance/api`.
 */

const { values, positionals } = parseArgs({
  options: {
    rounds: { type: 'string', default: '10' },
    busy: { type: 'string', default: '5' },
  },
  allowPositionals: true,
})
const rounds = Number(values.rounds)
const quiet = rounds - Number(values.busy)
const gate = [[], ['--long', '--no-cache']]
const commands = positionals.length > 0 ? [[...positionals, '--no-cache']] : gate
const lines: string[] = []
let failed = 0

for (let round = 1; round <= rounds; round++) {
  const load = round > quiet ? keepBusy() : []
  const began = performance.now()
  const outputs: string[] = []
  for (const args of commands) outputs.push(await run(args))
  await Promise.all(load.map((worker) => worker.terminate()))
  const minutes = ((performance.now() - began) / 60_000).toFixed(1)
  const failures = outputs.flatMap(failuresIn)
  if (failures.length > 0) failed += 1
  const beside = round > quiet ? ', beside a busy program' : ''
  lines.push(`round ${round}${beside}: ${minutes} minutes, ${failures.length} failed`, ...failures)
  console.log(lines.join('\n'))
}
console.log(`${rounds - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

function keepBusy(): Worker[] {
  const loop = 'for (let sum = 0; ; sum += Math.sqrt(sum + 1)) if (sum < 0) break'
  return Array.from({ length: availableParallelism() }, () => new Worker(loop, { eval: true }))
}

function run(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    let output = ''
    const program = ['--import', './scripts/end-with-parent.mjs', 'scripts/test.ts', ...args]
    const child = spawn(process.execPath, program, { stdio: ['ignore', 'pipe', 'inherit'] })
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
      process.stdout.write(text)
    })
    child.on('close', () => resolve(output))
  })
}

/** The names below `failed:`, and those that passed when repeated. */
function failuresIn(output: string): string[] {
  const lines = output.split('\n')
  const from = lines.lastIndexOf('failed:')
  return from < 0 ? [] : lines.slice(from + 1).filter((line) => /^ {2}\S/.test(line))
}
