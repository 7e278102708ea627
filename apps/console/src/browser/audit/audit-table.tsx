import type { AuditEntry } from '@agents/client'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Table } from '../parts/table.tsx'
import { Ago } from '../parts/time.tsx'

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    <Table
      label="Entries"
      columns={['Outcome', 'When', 'Caller', 'Operation', 'Object', 'Status', 'Entry']}
    >
      {entries.map((entry) => (
        <AuditRow key={entry.seq} entry={entry} />
      ))}
    </Table>
  )
}

function AuditRow({ entry }: { readonly entry: AuditEntry }) {
  const { seq, at, actor, action, namespace, name, outcome, code, request } = entry
  const object = [namespace, name].filter((each) => each).join(' / ')
  return (
    <tr>
      <td>
        <Phase phase={outcome} />
      </td>
      <td>
        <Ago at={at} />
      </td>
      <td>{actor === '' ? <span className="quiet">unknown</span> : <Plain text={actor} />}</td>
      <td>
        <Plain text={action} />
      </td>
      <td>
        <Plain text={object} />
      </td>
      <td>{code}</td>
      <td className="quiet" title={`request ${request}`}>
        {seq}
      </td>
    </tr>
  )
}
