import { EditorView } from '@codemirror/view';

const popup = {
  border: '1px solid var(--line)',
  borderRadius: '10px',
  background: 'var(--raised)',
  color: 'var(--text)',
  boxShadow: 'var(--shadow)',
  overflow: 'hidden',
};

/** The editor in the colors of the page, whose variables also apply in its shadow tree. */
export const editorTheme = EditorView.theme({
  '&': { background: 'none', fontSize: '14px' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '34px', overflowX: 'auto', scrollbarWidth: 'none' },
  '.cm-content': { padding: '0', caretColor: 'var(--text)' },
  '.cm-line': { padding: '0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-placeholder': { color: 'var(--muted)', fontFamily: 'inherit' },
  '.mark-field': { color: 'var(--accent)', fontWeight: '600' },
  '.mark-sign': { color: 'var(--muted)' },
  '.mark-value': { color: 'light-dark(#7a3e00, #f0b878)' },
  '.mark-similar': { color: 'light-dark(#7b2d8e, #d79be8)' },
  '.mark-operator': { color: 'var(--danger)' },
  '.cm-tooltip': { ...popup, zIndex: '40' },
  '.cm-tooltip.cm-tooltip-autocomplete': { marginTop: '8px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul': { fontFamily: 'var(--mono)', fontSize: '13px', maxHeight: '320px' },
  '.cm-tooltip.cm-tooltip-autocomplete > ul > li': { padding: '3px 10px', lineHeight: '22px', display: 'flex' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': { background: 'var(--accent-soft)', color: 'var(--text)' },
  '.cm-completionDetail': { marginLeft: 'auto', paddingLeft: '16px', color: 'var(--muted)', fontStyle: 'normal' },
  '.cm-completionMatchedText': { textDecoration: 'none', fontWeight: '700' },
  '.cm-completionInfo': { padding: '6px 10px', maxWidth: '280px', fontSize: '12.5px', color: 'var(--muted)' },
  '.cm-tooltip-lint': { padding: '2px' },
  '.cm-diagnostic': { padding: '4px 10px', borderLeft: 'none', fontSize: '12.5px' },
  '.cm-lintRange-error': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--danger) 1.5px',
    textUnderlineOffset: '4px',
  },
});
