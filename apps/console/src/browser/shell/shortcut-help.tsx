import { Dialog } from '../parts/dialog.tsx'
import { places } from './shortcuts.ts'

const keys: readonly (readonly [keys: string, text: string])[] = [
  ...Object.entries(places).map(([key, [, name]]) => [`g ${key}`, `Go to ${name}`] as const),
  ['/', 'Search or filter the page'],
  ['j  k', 'Next or previous row of a list'],
  ['Enter', 'Open the row'],
  ['x', 'Select the row of a list of runs'],
  ['Esc', 'Close a window'],
  ['?', 'Show these keys'],
]

export function ShortcutHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keyboard" onClose={onClose}>
      <dl className="shortcuts">
        {keys.map(([key, text]) => (
          <div key={key}>
            <dt>
              {key.split(/ +/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
