import { Button } from '../parts/button.tsx'

interface LogSearchProps {
  readonly text: string
  readonly onText: (text: string) => void
  /** How many lines; undefined while none is found yet. */
  readonly found: number | undefined
  readonly match: number
  readonly onStep: (by: number) => void
}

export function LogSearch({ text, onText, found, match, onStep }: LogSearchProps) {
  return (
    <search className="log-search">
      <input
        type="search"
        aria-label="Search the log"
        placeholder="Search the log"
        value={text}
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
        }}
      />
      {text !== '' && (
        <>
          <span className="quiet" role="status">
            {found === undefined && 'searching'}
            {found === 0 && 'none'}
            {found !== undefined && found > 0 && `${match + 1} of ${found.toLocaleString()}`}
          </span>
          <Button label="Previous match" onClick={() => onStep(-1)}>
            ↑
          </Button>
          <Button label="Next match" onClick={() => onStep(1)}>
            ↓
          </Button>
        </>
      )}
    </search>
  )
}
