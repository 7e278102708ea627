import type { KubeObject } from '@agents/kube'
import { age } from '../age.ts'
import { listWithMore } from '../list-text.ts'
import { ageColumn, column, nameColumn, printer } from '../printer.ts'

interface Endpoints extends KubeObject {
  subsets?: readonly {
    addresses?: readonly { ip: string }[]
    ports?: readonly { port: number }[]
  }[]
}

interface EndpointSlice extends KubeObject {
  addressType?: string
  ports?: readonly { port?: number; name?: string }[]
  endpoints?: readonly { addresses?: readonly string[] }[]
}

const limit = 3

export const endpointsPrinter = printer<Endpoints>(
  [nameColumn, column('Endpoints'), ageColumn],
  ({ metadata, subsets = [] }, now) => [
    metadata.name,
    subsets.length === 0 ? '<none>' : listWithMore(hostPorts(subsets), limit),
    age(metadata.creationTimestamp, now),
  ],
)

export const endpointSlicePrinter = printer<EndpointSlice>(
  [nameColumn, column('AddressType'), column('Ports'), column('Endpoints'), ageColumn],
  ({ metadata, addressType = '', ports, endpoints }, now) => [
    metadata.name,
    addressType,
    listWithMore(
      (ports ?? []).map(({ port, name }) => (port === undefined ? (name ?? '*') : String(port))),
      limit,
    ) || '<unset>',
    listWithMore(
      (endpoints ?? []).flatMap(({ addresses }) => addresses ?? []),
      limit,
    ) || '<unset>',
    age(metadata.creationTimestamp, now),
  ],
)

function hostPorts(subsets: NonNullable<Endpoints['subsets']>): string[] {
  return subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) =>
          addresses.map(({ ip }) => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`)),
        ),
  )
}
