import { onTestFinished } from 'vitest'
import type { Connection } from '../client/connection.ts'
import { createKubeClient, type KubeClient, type KubeClientOptions } from '../client/kube-client.ts'
import { type Script, type ScriptedServer, startScriptedServer } from './scripted-server.ts'

/** A server that answers as it is told, and a client of it that is in a hurry to try again. Both end with the test. */
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
