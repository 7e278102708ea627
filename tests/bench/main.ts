/** `npm run bench -- <name>` runs `tests/bench/<name>.ts`, which exports `run`. */
import { existsSync, readdirSync } from 'node:fs'
import { exitOnSignals } from '../support/testbed/exit-on-signals.ts'

const benches = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'main.ts' && !file.endsWith('.test.ts'))
  .map((file) => file.slice(0, -'.ts'.length))

const [name, ...rest] = process.argv.slice(2)
if (name === undefined || !benches.includes(name)) {
  console.error(`usage: npm run bench -- <${benches.join(' | ')}>`)
  process.exit(64)
}
const file = `${import.meta.dirname}/${name}.ts`
if (!existsSync(file)) throw new Error(`no such file: ${file}`)
exitOnSignals()
const { run } = (await import(file)) as { run: (args: string[]) => Promise<void> | void }
await run(rest)
