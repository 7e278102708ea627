/**
 * Preloaded into a program: redirects its connections to Services of the cluster to the addresses in SERVICE_ADDRESSES.
 */
import net, { type NetConnectOpts, type Socket } from 'node:net'

const addresses = JSON.parse(process.env.SERVICE_ADDRESSES ?? '{}') as Record<string, string>
const connect = net.connect as (...args: readonly unknown[]) => Socket

net.connect = ((options: NetConnectOpts, ...others: readonly unknown[]) => {
  const { host, port } = options as { host?: string; port?: number | string }
  const [, to, at] = /^(.*):(\d+)$/.exec(addresses[`${host}:${port}`] ?? '') ?? []
  return connect(to && at ? { ...options, host: to, port: Number(at) } : options, ...others)
}) as typeof net.connect
