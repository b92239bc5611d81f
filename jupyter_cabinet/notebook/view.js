// Shows what the widget names with the component of the JupyterLab extension; without the extension, its text.
const ELEMENT = 'jupyter-cabinet-view';

function render({ model, el }) {
  const draw = () => {
    const known = customElements.get(ELEMENT) !== undefined;
    const shown = document.createElement(known ? ELEMENT : 'pre');
    if (known) {
      shown.view = model.get('view');
    } else {
      shown.textContent = model.get('text');
    }
    el.replaceChildren(shown);
  };
  draw();
  void customElements.whenDefined(ELEMENT).then(draw);
  model.on('change:view', draw);
  return () => model.off('change:view', draw);
}

export default { render };
