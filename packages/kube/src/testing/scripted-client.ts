import { onTestFinished } from 'vitest'
import { createKubeClient, type KubeClient, type KubeClientOptions } from '../client/kube-client.ts'
import type { Connection } from '../transport/connection.ts'
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts'

/** A scripted server, and a client of it with short retry delays. Both are closed at the end of the test. */
export async function serve(
  script: Script,
  options: KubeClientOptions = {},
  connection: Partial<Connection> = {},
): Promise<{ readonly server: ScriptedServer; readonly client: KubeClient }> {
  const server = await startScriptedServer(script)
  const client = createKubeClient(
    { server: server.url, namespace: 'default', ...connection },
    { retry: { baseDelayMs: 1, maxDelayMs: 2 }, ...options },
  )
  onTestFinished(() => {
    client.close()
    return server.stop()
  })
  return { server, client }
}

export const key = { namespace: 'team', name: 'x' }

export const object = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { ...key, resourceVersion: '7' },
  data: { a: 'b' },
}
