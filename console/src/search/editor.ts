import {
  autocompletion,
  acceptCompletion,
  closeBrackets,
  closeCompletion,
  completionKeymap,
  completionStatus,
  startCompletion,
} from '@codemirror/autocomplete';
import type { Completion, CompletionContext, CompletionResult } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { setDiagnostics } from '@codemirror/lint';
import { EditorState, Prec, RangeSetBuilder } from '@codemirror/state';
import { Decoration, drawSelection, EditorView, keymap, placeholder, ViewPlugin } from '@codemirror/view';
import type { Command, DecorationSet, KeyBinding, ViewUpdate } from '@codemirror/view';
import { graphql } from '../api/graphql.ts';
import { Complete } from '../api/documents.ts';
import { number, t } from '../i18n/index.svelte.ts';
import { focusFirstResult } from '../results/move-focus.ts';
import { editorTheme } from './editor-theme.ts';
import { preferences } from '../state/preferences.svelte.ts';
import { marksOf, unitsOf } from './formula.ts';

export type EditorFault = Readonly<{ from: number; to: number; message: string }>;

export type EditorOptions = Readonly<{
  text: string;
  label: string;
  hint: string;
  resource: () => 'image' | 'video';
  onChange: (text: string) => void;
  onSubmit: () => void;
}>;

export type FormulaEditor = Readonly<{
  set(text: string): void;
  focus(): void;
  /** Underlines what is wrong. */
  show(faults: readonly EditorFault[]): void;
  destroy(): void;
}>;

const highlight = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = decorate(view);
    }
    update({ docChanged, view }: ViewUpdate): void {
      if (docChanged) this.decorations = decorate(view);
    }
  },
  { decorations: ({ decorations }) => decorations },
);

function decorate(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  let last = 0;
  for (const { from, to, kind } of marksOf(view.state.doc.toString())) {
    if (from < last) continue;
    builder.add(from, to, Decoration.mark({ class: `mark-${kind}` }));
    last = to;
  }
  return builder.finish();
}

/** The service's suggestions for the position of the cursor. */
function completer(resource: EditorOptions['resource']) {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const text = context.state.doc.toString();
    const units = unitsOf(text);
    const position = units.findIndex((unit) => unit >= context.pos);
    const stop = new AbortController();
    context.addEventListener('abort', () => stop.abort(), { onDocChange: true });
    try {
      const variables = { text, position, resource: resource(), language: preferences.language };
      const { formulaCompletions: found } = await graphql(Complete, variables, stop.signal);
      const from = units[found.position] ?? context.pos;
      const options = found.results.map((each, at): Completion => ({
        label: each.text,
        type: each.kind,
        boost: -at,
        ...(each.description !== '' && { info: each.description }),
        ...(each.count !== null && { detail: number(each.count) }),
        apply: (view, _completion, start) => apply(view, each.text, start, units[found.position + found.length]),
      }));
      return { from, options, filter: false };
    } catch {
      return null;
    }
  };
}

/** Applies a completion: values are followed by a space, fields by the completions of their values. */
function apply(view: EditorView, text: string, from: number, end: number | undefined): void {
  const isOpen = /[:=~<>]$/.test(text);
  const to = Math.max(end ?? from, view.state.selection.main.head);
  const insert = isOpen ? text : `${text} `;
  view.dispatch({
    changes: { from, to, insert },
    selection: { anchor: from + insert.length },
    userEvent: 'input.complete',
  });
  if (isOpen) startCompletion(view);
}

/** A formula is one line. */
const oneLine = EditorState.transactionFilter.of((transaction) => {
  if (!transaction.docChanged || transaction.newDoc.lines === 1) return transaction;
  const insert = transaction.newDoc.toString().replaceAll(/\s*\n\s*/g, ' ');
  const changes = { from: 0, to: transaction.startState.doc.length, insert };
  return { changes, selection: { anchor: insert.length } };
});

/** Submits the formula and closes its completions, which would cover the explanation. */
function submitBy({ onSubmit }: EditorOptions): Command {
  return (view) => {
    closeCompletion(view);
    onSubmit();
    return true;
  };
}

/**
 * Moves the focus to the results, skipping all the filters in between; stays while completions are shown or loading.
 */
const toResults: KeyBinding = {
  key: 'ArrowDown',
  run: ({ state }) => completionStatus(state) === null && focusFirstResult(),
};

/**
 * Creates an editor of formulas in a shadow tree, where its styles are style sheet objects, which the page's policy
 * allows.
 */
export function createEditor(host: HTMLElement, options: EditorOptions): FormulaEditor {
  const root = host.attachShadow({ mode: 'open' });
  const view = new EditorView({
    root,
    parent: root,
    doc: options.text,
    selection: { anchor: options.text.length },
    extensions: [
      history(),
      EditorState.phrases.of(t().values.editor),
      drawSelection(),
      closeBrackets(),
      oneLine,
      highlight,
      editorTheme,
      placeholder(options.hint),
      autocompletion({
        override: [completer(options.resource)],
        selectOnOpen: false,
        icons: false,
        activateOnTypingDelay: 120,
      }),
      Prec.high(keymap.of([...completionKeymap, { key: 'Tab', run: acceptCompletion }])),
      keymap.of([{ key: 'Enter', run: submitBy(options) }, toResults, ...historyKeymap, ...defaultKeymap]),
      EditorView.contentAttributes.of({
        'aria-label': options.label,
        spellcheck: 'false',
        autocapitalize: 'off',
        // The text scrolls, and accessibility checkers accept only a tabindex as a way to reach it with the keyboard.
        tabindex: '0',
      }),
      EditorView.updateListener.of(({ docChanged, state }) => {
        if (docChanged) options.onChange(state.doc.toString());
      }),
    ],
  });
  return {
    set(text) {
      if (text === view.state.doc.toString()) return;
      view.dispatch({
        changes: { from: 0, to: view.state.doc.length, insert: text },
        selection: { anchor: text.length },
      });
    },
    focus: () => view.focus(),
    show(faults) {
      const { length } = view.state.doc;
      const within = faults.map((fault) => {
        const from = Math.min(fault.from, Math.max(0, length - 1));
        return { ...fault, from, to: Math.max(from, Math.min(fault.to, length)), severity: 'error' as const };
      });
      view.dispatch(setDiagnostics(view.state, within));
    },
    destroy: () => view.destroy(),
  };
}
