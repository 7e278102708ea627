import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { toolPath } from '@agents/chart-tools'

const root = join(import.meta.dirname, '../../..')

interface CommandResult {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** Runs a shell command in the root of the project; the tools that users have on their PATH are taken from npm. */
export type CommandLine = (line: string, stdin?: string) => Promise<CommandResult>

export async function openCommandLine(folder: string, kubeconfig = ''): Promise<CommandLine> {
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const [helm3, helm4, kubectl] = await Promise.all([
    toolPath('helm', '3'),
    toolPath('helm', '4'),
    toolPath('kubectl', '1.36'),
  ])
  await symlink(helm4, join(bin, 'helm'))
  await symlink(kubectl, join(bin, 'kubectl'))
  const programs = {
    kustomize: `shift; exec "${kubectl}" kustomize --helm-command "\${HELM_BIN:-${helm4}}" "$@"`,
    // mise exec helm@3 -- COMMAND
    mise: `shift 3; HELM_BIN="${helm3}" exec "$@"`,
    rg: 'exec grep --extended-regexp "$@"',
  }
  for (const [name, body] of Object.entries(programs)) {
    await writeFile(join(bin, name), `#!/usr/bin/env bash\n${body}\n`)
    await chmod(join(bin, name), 0o755)
  }
  const env = { PATH: `${bin}:/usr/local/bin:/usr/bin:/bin`, HOME: folder, KUBECONFIG: kubeconfig }
  return (line, stdin = '') =>
    new Promise((resolve) => {
      const child = execFile('bash', ['-c', line], { cwd: root, env }, (error, stdout, stderr) => {
        const code = typeof error?.code === 'number' ? error.code : error ? 1 : 0
        resolve({ code, stdout, stderr })
      })
      child.stdin?.end(stdin)
    })
}
