import { useRef } from 'react'
import { Button } from '../parts/button.tsx'
import { columns, usual } from './columns.ts'
import { chooseColumns, useColumns } from './use-columns.ts'

/** Which columns the list has. On narrow pages it has always the same. */
export function ColumnChoice() {
  const chosen = useColumns()
  const menu = useRef<HTMLDetailsElement>(null)
  return (
    <details
      ref={menu}
      className="column-choice"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || menu.current === null) return
        menu.current.open = false
        menu.current.querySelector('summary')?.focus()
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget !== null && !currentTarget.contains(relatedTarget)) {
          currentTarget.open = false
        }
      }}
    >
      <summary className="button plain">Columns</summary>
      <fieldset>
        <legend className="unseen">Columns of the list</legend>
        {columns
          .filter(({ id }) => id !== 'name')
          .map(({ name, id }) => (
            <label key={id}>
              <input
                type="checkbox"
                checked={chosen.includes(id)}
                onChange={({ target: { checked } }) =>
                  chooseColumns(checked ? [...chosen, id] : chosen.filter((each) => each !== id))
                }
              />{' '}
              {name}
            </label>
          ))}
        <Button onClick={() => chooseColumns(usual)}>As at first</Button>
      </fieldset>
    </details>
  )
}
