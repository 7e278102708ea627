import type { AuditEntry } from '@agents/client'
import { Phase } from '../parts/phase.tsx'
import { Plain } from '../parts/plain.tsx'
import { Ago } from '../parts/time.tsx'

export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section className="table-box" aria-label="Entries" tabIndex={0}>
      <table className="table">
        <thead>
          <tr>
            {['Outcome', 'When', 'Caller', 'Operation', 'Object', 'Status', 'Entry'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map((entry) => (
            <AuditRow key={entry.seq} entry={entry} />
          ))}
        </tbody>
      </table>
    </section>
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
