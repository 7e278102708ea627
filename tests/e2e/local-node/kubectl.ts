import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiServer } from '@agents/apiserver'
import { kubeconfigText } from '../../support/testbed/kubeconfig.ts'
import { runTool, type ToolResult } from '../../support/tools/run-tool.ts'

export type KubectlVersion = '1.32' | '1.36'

type RunOptions = NonNullable<Parameters<typeof runTool>[2]>

export type Kubectl = (
  args: readonly string[],
  options?: RunOptions & { version?: KubectlVersion; spdy?: boolean },
) => Promise<ToolResult>

/** The variables that make kubectl use SPDY instead of WebSockets. */
const spdyOnly = {
  KUBECTL_REMOTE_COMMAND_WEBSOCKETS: 'false',
  KUBECTL_PORT_FORWARD_WEBSOCKETS: 'false',
}

/** kubectl for a server, in the namespace `default`; as the administrator unless `token` is given. */
export async function kubectlFor(
  { url, caCertificate, adminToken }: Pick<ApiServer, 'url' | 'caCertificate' | 'adminToken'>,
  token = adminToken,
): Promise<{ kubectl: Kubectl; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-kubectl-'))
  const kubeconfig = join(folder, 'kubeconfig')
  const text = kubeconfigText({ url, caPem: caCertificate, token, namespace: 'default' })
  await writeFile(kubeconfig, text, { mode: 0o600 })
  return {
    kubectl: (args, { version = '1.36', spdy = false, env = {}, ...options } = {}) =>
      runTool(['kubectl', version], args, {
        kubeconfig,
        env: { ...env, ...(spdy ? spdyOnly : {}) },
        ...options,
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
