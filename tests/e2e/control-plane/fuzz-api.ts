import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env } from 'node:process'
import { createInterface } from 'node:readline'
import { ensureAgentCli } from '../../support/testbed/agent-clis.ts'
import type { ApiBed } from './api-bed.ts'

/** What the answers are checked for. That a request of the right form is accepted depends on what is in the cluster. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'missing_required_header',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
]
/** Their answers have no end, or come when the caller's time is over. */
const endless = ['readEvents', 'waitForRun', 'streamResources']

interface Fuzzed {
  readonly requests: number
  /** What schemathesis says, if it found something. */
  readonly findings: string
}

interface FuzzOptions {
  readonly seed?: number
  /** The first two send the same requests every time. */
  readonly phases?: readonly ('examples' | 'coverage' | 'fuzzing')[]
}

/**
 * Sends requests that schemathesis makes from the API's own description, right and wrong ones, as an operator: so many
 * examples for each operation.
 */
export async function fuzzApi(
  bed: ApiBed,
  examples: number,
  { seed = 1, phases = ['examples', 'coverage', 'fuzzing'] }: FuzzOptions = {},
): Promise<Fuzzed> {
  const program = join(await ensureAgentCli('schemathesis', env), 'bin/schemathesis')
  const folder = await mkdtemp(join(tmpdir(), 'fuzz-api-'))
  try {
    const ca = join(folder, 'ca.crt')
    await writeFile(ca, bed.listener.ca)
    const report = join(folder, 'report.ndjson')
    const { stdout, code } = await run(program, folder, [
      ...['run', `https://127.0.0.1:${bed.listener.port}/openapi.json`],
      ...['--header', `Authorization: Bearer ${bed.tokens.operator}`, '--tls-verify', ca],
      ...['--checks', checks.join(','), '--max-examples', String(examples)],
      ...['--seed', String(seed), '--phases', phases.join(','), '--request-timeout', '60'],
      ...endless.flatMap((id) => ['--exclude-operation-id', id]),
      ...['--suppress-health-check', 'all', '--warnings', 'off', '--continue-on-failure'],
      ...['--report', 'ndjson', '--report-ndjson-path', report],
    ])
    return { requests: await countResponses(report), findings: code === 0 ? '' : stdout }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Line by line: the report of a long run is larger than the longest string. */
async function countResponses(report: string): Promise<number> {
  let count = 0
  for await (const line of createInterface(createReadStream(report))) {
    count += line.match(/"response":/g)?.length ?? 0
  }
  return count
}

function run(program: string, cwd: string, args: readonly string[]) {
  return new Promise<{ stdout: string; code: number }>((resolve) => {
    execFile(program, args, { cwd, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ stdout: `${stdout}${stderr}`, code: error === null ? 0 : 1 }),
    )
  })
}
