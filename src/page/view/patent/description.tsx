/** The description with its headings, paragraph numbers, and links to its drawings. */
import type { PatentDocument } from '../../model/document.js';
import { useTexts } from '../context.js';

interface Props {
  document: PatentDocument;
  language: string | undefined;
  onDrawing(at: number): void;
}

export function Description({ document: { description, drawings }, language, onDrawing }: Props) {
  const { patent: texts } = useTexts();
  return (
    <section id="part-description" tabIndex={-1} aria-labelledby="heading-description">
      <h2 id="heading-description">{texts.description}</h2>
      {description.length === 0 && <p class="soft">{texts.noText}</p>}
      {description.map(({ heading, paragraphs }, section) => (
        <div key={section} class="description-part" lang={language}>
          {heading !== '' && <h3>{heading}</h3>}
          {paragraphs.map(({ number, text, drawings: shown }, at) => (
            <div key={at} class="paragraph">
              {number !== '' && <span class="paragraph-number">{number}</span>}
              <p class="prose">
                {text}{' '}
                {shown.map((drawing) => (
                  <button
                    key={drawing}
                    type="button"
                    class="button plain figure-link"
                    onClick={() => onDrawing(drawing)}
                  >
                    {drawings[drawing]?.label || texts.drawingNumber(drawing + 1)}
                  </button>
                ))}
              </p>
            </div>
          ))}
        </div>
      ))}
    </section>
  );
}
