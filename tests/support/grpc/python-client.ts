import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { env } from 'node:process'
import { promisify } from 'node:util'
import { ensureAgentCli } from '../testbed/agent-clis.ts'

const run = promisify(execFile)
const program = join(import.meta.dirname, 'python/client.py')
const protos = join(import.meta.dirname, '../../../services/jangar/proto')

export interface PythonCall {
  readonly address: string
  /** A file with the authority to trust. */
  readonly ca: string
  readonly token?: string
  readonly method: string
  readonly request?: object
}

interface PythonAnswer {
  readonly code: string
  readonly message?: string
  readonly answer?: Readonly<Record<string, string>>
}

/** Calls a method of the AgentctlService with grpcio, which is installed at first use. */
export async function callFromPython(call: PythonCall): Promise<PythonAnswer> {
  const { address, ca, token, method, request = {} } = call
  const python = join(await ensureAgentCli('grpcio', env), 'venv/bin/python3')
  const { stdout } = await run(
    python,
    [program, address, ca, protos, method, JSON.stringify(request)],
    // Not passed as an argument, because every user of the machine can read command lines.
    { env: { ...(token !== undefined && { TOKEN: token }), PYTHONDONTWRITEBYTECODE: '1' } },
  )
  return JSON.parse(stdout) as PythonAnswer
}
