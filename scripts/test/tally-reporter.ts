import { writeFile } from 'node:fs/promises'
import { stripVTControlCharacters } from 'node:util'
import type { Reporter, SerializedError, TestModule, Vitest } from 'vitest/node'
import type { Failure } from './failure.ts'

/** The result of a Vitest run, for the process that started it. */
export interface Tally {
  readonly passed: number
  readonly failed: number
  /** Failed tests, hooks and files, and uncaught errors. */
  readonly failures: readonly Failure[]
}

/** Writes a `Tally` to the file that `--outputFile.tally` names. */
class TallyReporter implements Reporter {
  #vitest: Vitest | undefined

  onInit(vitest: Vitest): void {
    this.#vitest = vitest
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandled: readonly SerializedError[],
  ): Promise<void> {
    const { outputFile } = this.#vitest?.config ?? {}
    if (typeof outputFile !== 'object' || outputFile.tally === undefined) return
    const counts = { passed: 0, failed: 0 }
    for (const { children } of modules) {
      counts.passed += [...children.allTests('passed')].length
      counts.failed += [...children.allTests('failed')].length
    }
    const stray = unhandled.map((error) => ({ where: 'nobody caught', why: reason(error) }))
    const tally: Tally = { ...counts, failures: [...modules.flatMap(failuresOf), ...stray] }
    await writeFile(outputFile.tally, JSON.stringify(tally))
  }
}

// biome-ignore lint/style/noDefaultExport: it is how Vitest finds a reporter in a file
export default TallyReporter

function failuresOf(module: TestModule): Failure[] {
  const { relativeModuleId: file, children } = module
  const named = [
    { name: '', errors: module.errors() },
    ...[...children.allSuites()].map((suite) => ({ name: suite.fullName, errors: suite.errors() })),
    ...[...children.allTests('failed')].map((test) => ({
      name: test.fullName,
      errors: test.result().errors ?? [],
    })),
  ]
  return named
    .filter(({ errors }) => errors.length > 0)
    .map(({ name, errors }) => ({
      file,
      where: [file, name].filter((part) => part !== '').join(' > '),
      why: errors.map(reason).join('\n'),
    }))
}

/** The message, the line of the test, and the difference between the expected and the received value. */
function reason({ name, message, diff, stacks }: SerializedError): string {
  const [first = '', ...rest] = message.split('\n')
  const at = stacks?.[0]
  const place = at === undefined ? [] : [`at ${at.file}:${at.line}`]
  const lines = [`${name ?? 'Error'}: ${first}`, ...place, ...rest, String(diff ?? '')]
  return stripVTControlCharacters(lines.join('\n'))
}
