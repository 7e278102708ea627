import type { ConfigMap, Secret } from '@agents/kube'

/** A Secret of which only the names of its keys are kept: a cache of values would be one more place to leak from. */
export function withoutValues(secret: Secret): Secret {
  const { stringData: _unstored, data, ...rest } = secret
  return { ...rest, data: blank(data) }
}

/** As `withoutValues`: who only asks whether a key is there need not hold megabytes. */
export function withoutContent(configMap: ConfigMap): ConfigMap {
  const { data, binaryData, ...rest } = configMap
  return { ...rest, data: blank(data), ...(binaryData && { binaryData: blank(binaryData) }) }
}

function blank(data: Readonly<Record<string, string>> | undefined): Record<string, string> {
  return Object.fromEntries(Object.keys(data ?? {}).map((key) => [key, '']))
}
